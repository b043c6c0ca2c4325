"""Verdicts of the twin compared with recorded ground truth: Bauer et al. (2022), Table 2."""
