"""Drawings of networks: decisions as diamonds, pushes and pops as bubbles, the top of the stack as a hexagon."""
