"""Decisions: which strategy of a library brings most under what is uncertain at a moment."""
