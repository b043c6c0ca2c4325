"""Axes that act on the twin's world and robot."""
