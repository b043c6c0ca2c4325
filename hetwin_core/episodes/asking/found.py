"""When a term holds for some entities, kept so that the same term is read once for many questions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hetwin_core.episodes.asking.evidence import Evidence
from hetwin_core.episodes.asking.reading import Binding, Reading
from hetwin_core.episodes.asking.terms import Atom, Both, Either, Negation, Term
from hetwin_core.episodes.asking.times import Window
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.unseen import Blind

POSES = "poses"


class Found:
    """When a term holds for one binding.

    Args:
        binding: the entities.
        reading: when it is true and when it is false, the rows that say so, and where it was not seen.
    """

    def __init__(self, binding: Binding, reading: Reading) -> None:
        self.binding = binding
        self.truths = reading.truths
        self.blind: tuple[Blind, ...] = reading.blind
        self._evidence = reading.evidence

    def telling(self, window: Window, known: Interval) -> Iterator[Evidence]:
        """Yield the rows that overlap a time; states were measured for it, even if just before.

        Args:
            window: the time.
            known: all of the episode; what lasts until its end has not ended there.
        """
        begins, ends, states = self._columns
        last = known.to_ns - 1
        overlap = (begins < window.span.to_ns) & (ends > window.span.from_ns)
        if window.span.to_ns > last:
            overlap |= ends >= last
        for index in np.flatnonzero(overlap | states).tolist():
            yield self._evidence[index]

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """(n,) begins and ends [ns] of all rows, none of them empty, and whether they are states."""
        spans = np.array([row.span for row in self._evidence], np.int64).reshape(-1, 2)
        states = np.array([row.table == POSES for row in self._evidence], np.bool_)
        return spans[:, 0], np.maximum(spans[:, 1], spans[:, 0] + 1), states


def is_read_whole(term: Term) -> bool:
    """Return whether a term is read for all of an episode at once: it needs neither places nor states."""
    match term:
        case Atom():
            return term.place is None
        case Both() | Either():
            return is_read_whole(term.one) and is_read_whole(term.two)
        case Negation():
            return is_read_whole(term.of)
    return False
