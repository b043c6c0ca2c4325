"""Axes that act on where the robot believes things to be."""
