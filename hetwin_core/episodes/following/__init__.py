"""Follows the log of a run, whether it is complete or still being written."""
