"""Axes that act on the recording that the twin plays back."""
