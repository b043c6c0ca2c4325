"""A naive reading of a log, message by message and state by state, that shares nothing with hetwin's tables."""
