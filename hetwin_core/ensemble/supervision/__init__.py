"""Supervision of calls of models, and of processes, which may hang or die."""
