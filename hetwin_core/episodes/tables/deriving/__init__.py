"""Derives occasions and events from the states of a log, chunk by chunk, in one pass."""
