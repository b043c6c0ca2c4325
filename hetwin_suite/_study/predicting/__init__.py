"""Predictions: many futures of one moment of a run, and what they say."""
