"""Measured efforts of an arm beyond its rigid bodies: friction, offsets, loads, signs and lags."""
