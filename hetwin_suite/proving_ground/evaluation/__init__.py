"""Verdicts of the twin against recorded ground truth: the first paper's Table 2."""
