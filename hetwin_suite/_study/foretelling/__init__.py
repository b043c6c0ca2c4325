"""Predictions beside the twin of a live robot: what will come of the actions that the robot announces."""
