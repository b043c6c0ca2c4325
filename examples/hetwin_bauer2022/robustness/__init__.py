"""Where each approach breaks: its verdicts over the levels of declared mismatch."""
