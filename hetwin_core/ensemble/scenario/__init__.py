"""Scenario files: an ensemble as a person writes it down, in YAML."""
