"""Runs of a study: their makers, origins and judges."""
