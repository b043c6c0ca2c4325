"""Measures cases interleaved, so that a slow phase of the machine affects all alike."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

Case = TypeVar("Case", bound=Hashable)
Measured = TypeVar("Measured")


class Absent(Exception):
    """A case cannot be measured, because something is missing; the text names it."""


def in_turn(
    cases: Sequence[Case],
    rounds: int,
    limit: float,
    measure: Callable[[Case], Measured],
    words: Callable[[Case, Measured], str],
) -> tuple[dict[Case, tuple[Measured, ...]], dict[Case, str]]:
    """Measure all cases in turn; returns the results, and the reasons for cases without.

    Args:
        cases: the cases to measure.
        rounds: number of measurements of each.
        limit: no measurement is begun after this time [s].
        measure: one measurement; raises `Absent` if it is impossible here.
        words: formats one, for the progress on stderr.
    """
    begun = time.monotonic()
    found: dict[Case, tuple[Measured, ...]] = {}
    skipped: dict[Case, str] = {}
    for number in range(rounds):
        for case in cases:
            if case in skipped:
                continue
            if time.monotonic() - begun > limit:
                if case not in found:
                    skipped[case] = f"the limit of {limit:g} s is used up"
                continue
            try:
                value = measure(case)
            except Absent as absent:
                skipped[case] = str(absent)
                continue
            found[case] = (*found.get(case, ()), value)
            told = f"run {number + 1} of {rounds}: {words(case, value)}"
            print(told, file=sys.stderr, flush=True)
    return found, skipped
