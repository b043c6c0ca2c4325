"""Draws of each run."""
