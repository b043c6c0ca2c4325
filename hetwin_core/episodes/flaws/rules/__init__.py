"""hetwin's own rules, as files of queries."""
