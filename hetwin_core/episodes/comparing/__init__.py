"""Compares two runs: what they were given, where they part, and what comes of it."""
