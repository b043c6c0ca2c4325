"""Runs of a batch that went alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hetwin_suite._study.runs.run_result import RunResult


class Kind(NamedTuple):
    """Runs with the same outcomes and flaws.

    Attributes:
        outcomes: that came about.
        missed: that did not.
        flaws: their kinds.
        failed: whether they failed.
        runs: by index.
    """

    outcomes: tuple[str, ...]
    missed: tuple[str, ...]
    flaws: tuple[str, ...]
    failed: bool
    runs: Sequence[RunResult]

    @property
    def words(self) -> str:
        """What is common to them."""
        if self.failed:
            return "failed"
        told = [*self.outcomes, *(f"not {name}" for name in self.missed)]
        text = ", ".join(told) or "went to its end"
        if self.flaws:
            text += f"; {', '.join(self.flaws)}"
        return text.replace("_", " ")

    @property
    def is_good(self) -> bool:
        """Whether nothing is amiss with them."""
        return not (self.failed or self.missed or self.flaws)


def kinds_of(runs: Sequence[RunResult]) -> list[Kind]:
    """Return the kinds of runs, the most frequent first."""
    found: dict[tuple[object, ...], list[RunResult]] = {}
    for run in runs:
        found.setdefault(_key(run), []).append(run)
    kinds = [_kind(alike) for alike in found.values()]
    return sorted(kinds, key=lambda kind: -len(kind.runs))


def _key(run: RunResult) -> tuple[object, ...]:
    if run.error is not None:
        return ("failed",)
    return (*run.outcomes.items(), frozenset(run.flaws))


def _kind(alike: Sequence[RunResult]) -> Kind:
    first = alike[0]
    came = tuple(name for name, value in first.outcomes.items() if value is True)
    missed = tuple(name for name, value in first.outcomes.items() if value is not True)
    return Kind(came, missed, tuple(first.flaws), first.error is not None, tuple(alike))
