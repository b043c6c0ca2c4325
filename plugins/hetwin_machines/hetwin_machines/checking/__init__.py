"""Looks for what is wrong in a network before it runs."""
