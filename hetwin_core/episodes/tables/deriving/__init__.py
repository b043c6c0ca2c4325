"""Derives occasions and events from the states of a log, chunk by chunk, each of which is looked at once."""
