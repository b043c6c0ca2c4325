"""Runs of a study: what makes them, from where, and what is said of each."""
