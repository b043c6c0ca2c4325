"""Robots that set a table, pour a drink, and hand objects over."""
