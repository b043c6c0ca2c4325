"""Writes what a user starts from: a scenario for a recording, or the package of a model."""
