"""Robustness of each approach: its verdicts over the levels of declared mismatches."""
