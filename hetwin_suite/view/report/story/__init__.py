"""The events of a run, in sentences."""
