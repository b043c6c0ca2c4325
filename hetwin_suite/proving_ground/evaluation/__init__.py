"""Verdicts of the twin compared with recorded ground truth: the first paper's Table 2."""
