"""Robots that serve: they set a table, pour a drink, and hand things over."""
