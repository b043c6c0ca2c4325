"""Seeing through networks: what fired and why, how often, what a drawing shows of it."""
