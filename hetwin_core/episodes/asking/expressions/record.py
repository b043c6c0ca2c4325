"""What a question has read, for its answer's evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hetwin_core.episodes.asking.answer import Answer
from hetwin_core.episodes.asking.evidence import Evidence, in_order
from hetwin_core.episodes.asking.intervals import Intervals, union


class _Read(NamedTuple):
    truth: bool | None
    intervals: Intervals
    bindings: tuple[Mapping[str, str], ...]
    evidence: tuple[Evidence, ...]


class Record:
    """Notes what the functions of one question read."""

    def __init__(self) -> None:
        self._read: list[_Read] = []

    def note(self, answer: Answer, also: tuple[Evidence, ...] = ()) -> None:
        """Note a truth, and the rows that its time and its goal came from."""
        rows = (*answer.evidence, *also)
        self._read.append(_Read(answer.truth, answer.intervals, answer.bindings, rows))

    def rows(self, *evidence: Evidence) -> None:
        """Note rows that were read for anything else than a truth."""
        self._read.append(_Read(None, Intervals(), (), evidence))

    def telling(self, value: object) -> _Read:
        """Return what an answer rests on.

        Of an answer that is true or false, these are the truths that are the same, as what made ``all`` false or
        ``exists`` true; if there are none, as after ``!``, all of them.
        """
        same = [r for r in self._read if r.truth is value] if isinstance(value, bool) else []
        used = same or self._read
        bindings = {tuple(binding.items()): binding for r in used for binding in r.bindings}
        return _Read(
            None,
            union(r.intervals for r in used),
            tuple(bindings.values()),
            in_order(row for r in used for row in r.evidence),
        )
