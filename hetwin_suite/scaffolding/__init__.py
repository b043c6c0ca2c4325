"""Writes starting points for users: a scenario for a recording, or the package of a model."""
