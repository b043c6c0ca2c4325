"""Compares the motion of a robot with that of its twin."""
