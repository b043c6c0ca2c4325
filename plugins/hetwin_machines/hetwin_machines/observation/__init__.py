"""Observe running networks: which arcs fired, how often, and why machines failed."""
