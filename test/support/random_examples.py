"""How many random examples a test draws."""

from __future__ import annotations

from hypothesis import settings

_USUAL = 100
"""Drawn by a test that does not say how many; Hypothesis's default."""


def examples(count: int) -> settings:
    """So many examples in `make test`; in `make test-random` as many times more as there are for all tests."""
    return settings(max_examples=count * settings().max_examples // _USUAL)
