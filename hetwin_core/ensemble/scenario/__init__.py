"""Scenario files: the description of an ensemble in YAML."""
