"""Supervision of calls of models, and of the processes that make them, which may hang or die."""
