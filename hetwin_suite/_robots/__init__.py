"""Robots that are not real: their recorders, players and stand-ins."""
