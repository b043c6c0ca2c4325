"""Cuts what holds in single states into spans."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Change(NamedTuple):
    """The begin or the end of a span.

    Attributes:
        state: number of the first state with it, or of the first one without it.
        key: what begins or ends.
        begins: whether it begins.
    """

    state: int
    key: int
    begins: bool


@dataclass(slots=True)
class _Span:
    last: int
    begun: bool = False
    run: int = 0
    run_from: int = 0


class Spans:
    """Follows the spans of many things at once, each with a hysteresis.

    A span begins with a state in which its thing holds clearly, if it does so in enough states one after the other;
    it goes on while the thing holds at least weakly, and ends when it has not done so in enough states. What begins
    within as many states from the first one of the log has held from there: a scene settles, and its first state knows
    nothing of contacts.

    Args:
        absent: states without it, one after the other, that end a span; fewer are passed over.
        clear: states in which it holds clearly, one after the other, that begin one.
    """

    def __init__(self, *, absent: int, clear: int = 1) -> None:
        self._absent = absent
        self._clear = clear
        self._spans: dict[int, _Span] = {}
        self._changes: list[Change] = []

    def update(self, keys: Numbers, states: Numbers, clearly: Mask, newest: int) -> list[Change]:
        """Add the states that follow.

        Args:
            keys: (m,) what holds at least weakly, m times in all.
            states: (m,) in which state, counted from the first of the log.
            clearly: (m,) whether it holds clearly.
            newest: number of the last state that is known now.

        Returns:
            The changes that are certain now, by state.
        """
        if len(keys):
            self._add(keys, states, clearly)
        over = [k for k, span in self._spans.items() if newest - span.last >= self._absent]
        for key in over:
            self._end(key)
        changes, self._changes = self._changes, []
        return sorted(changes)

    def _add(self, keys: Numbers, states: Numbers, clearly: Mask) -> None:
        order = np.lexsort((~clearly, states, keys))
        keys, states, clearly = keys[order], states[order], clearly[order]
        once = np.ones(len(keys), np.bool_)
        once[1:] = (np.diff(keys) != 0) | (np.diff(states) != 0)
        keys, states, clearly = keys[once], states[once], clearly[once]
        parted = (np.diff(keys) != 0) | (np.diff(states) > self._absent)
        cuts = [0, *(np.flatnonzero(parted) + 1).tolist(), len(keys)]
        for begin, end in pairwise(cuts):
            self._extend(int(keys[begin]), states[begin:end], clearly[begin:end])

    def _extend(self, key: int, states: Numbers, clearly: Mask) -> None:
        first, last = int(states[0]), int(states[-1])
        span = self._spans.get(key)
        if span is not None and first - span.last > self._absent:
            self._end(key)
            span = None
        if span is None:
            span = self._spans[key] = _Span(last)
        if not span.begun:
            self._look_for_begin(key, span, states, clearly)
        span.last = last

    def _look_for_begin(self, key: int, span: _Span, states: Numbers, clearly: Mask) -> None:
        if not clearly.any():
            span.run = 0
            return
        for state, is_clear in zip(states.tolist(), clearly.tolist(), strict=True):
            if not is_clear:
                span.run = 0
                continue
            if span.run == 0:
                span.run_from = state
            span.run += 1
            if span.run >= self._clear:
                span.begun = True
                begin = 0 if span.run_from <= self._absent else span.run_from
                self._changes.append(Change(begin, key, True))
                return

    def _end(self, key: int) -> None:
        span = self._spans.pop(key)
        if span.begun:
            self._changes.append(Change(span.last + 1, key, False))
