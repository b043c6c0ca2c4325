"""Axes that act on the real world, while it is recorded."""
