"""Explanations of failures: the smallest change with which a run would have succeeded."""
