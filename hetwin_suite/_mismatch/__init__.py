"""Declared mismatch between what the twin is given and what really was: axes with levels, each a pure function."""
