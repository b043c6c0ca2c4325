"""Follows the log of a run, whether it is complete or a process still writes it."""
