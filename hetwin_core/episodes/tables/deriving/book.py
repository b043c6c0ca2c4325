"""Shared by all derivations: an index of the scene, the detection of spans, and the book of findings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, POSE_SIZE, Floats
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.tables.lists import Stretch
from hetwin_core.episodes.tables.poses import Timeline, root_links
from hetwin_core.episodes.tables.rows import DERIVED, Happening

Mask = NDArray[np.bool_]


class SceneIndex:
    """Lookups in a layout.

    Attributes:
        layout: layout of the scene.
        names: names of the entities.
        is_object: (entities,) whether the entity is a free body.
        is_link: (entities,) whether it is a link.
        in_hand: (entities,) whether it is a link of a hand, which holds but does not support.
        roots: robot -> its root link.
        starts: (entities,) start of its pose in the values; -1 without one.
        hands_of: index of a link -> names of its hands.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.names = [entity.name for entity in layout.entities]
        kinds = [entity.kind for entity in layout.entities]
        self.is_object: Mask = np.array([k is EntityKind.OBJECT for k in kinds], np.bool_)
        self.is_link: Mask = np.array([k is EntityKind.LINK for k in kinds], np.bool_)
        self.in_hand: Mask = np.zeros(len(kinds), np.bool_)
        self.hands_of: dict[int, list[str]] = {}
        for hand in layout.of_kind(EntityKind.HAND):
            for link in hand_links(layout, hand.name):
                if link >= 0:
                    self.in_hand[link] = True
                    self.hands_of.setdefault(link, []).append(hand.name)
        self.roots = root_links(layout)
        starts = [
            layout.range_of(name, POSE.name).start if layout.has(name, POSE.name) else -1
            for name in self.names
        ]
        self.starts = np.array(starts, np.int64)

    def poses(self, values: Floats, states: NDArray[np.int64], ids: NDArray[np.int64]) -> Floats:
        """(m, 13) poses and twists of entities in states; an entity without a pose is at rest in the world's origin."""
        starts = self.starts[ids]
        found: Floats = values[
            states[:, None], np.maximum(starts, 0)[:, None] + np.arange(POSE_SIZE)
        ]
        found[starts < 0] = _AT_ORIGIN
        return found


_AT_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, *([0.0] * 9)])


Numbers = NDArray[np.int64]


class Change(NamedTuple):
    """The start or the end of a span.

    Attributes:
        state: number of the first state with it, or of the first one without it.
        key: key of the span.
        begins: whether it is a start.
    """

    state: int
    key: int
    begins: bool


@dataclass(slots=True)
class _Span:
    last: int
    has_begun: bool = False
    clear_count: int = 0
    clear_from: int = 0


class Spans:
    """Detects the spans of many conditions at once, with hysteresis.

    A span starts with the first of `clear` consecutive states in which its condition holds clearly. It continues
    while the condition holds at least weakly, and ends after `absent` states without it. A span that starts within
    the first `absent` states of the log is extended to the first state, because the scene settles there, and the
    first state has no contacts yet.

    Args:
        absent: number of consecutive states without the condition that end a span; fewer are ignored.
        clear: number of consecutive states with the condition, clearly, that start a span.
    """

    def __init__(self, *, absent: int, clear: int = 1) -> None:
        self._absent = absent
        self._clear = clear
        self._spans: dict[int, _Span] = {}
        self._changes: list[Change] = []

    def update(self, keys: Numbers, states: Numbers, clearly: Mask, newest: int) -> list[Change]:
        """Add the next states.

        Args:
            keys: (m,) keys of conditions that hold at least weakly.
            states: (m,) number of the state, counted from the start of the log.
            clearly: (m,) whether the condition holds clearly.
            newest: number of the last known state.

        Returns:
            The changes that are now certain, by state.
        """
        if len(keys):
            self._add(keys, states, clearly)
        ended = [k for k, span in self._spans.items() if newest - span.last >= self._absent]
        for key in ended:
            self._end(key)
        changes, self._changes = self._changes, []
        return sorted(changes)

    def _add(self, keys: Numbers, states: Numbers, clearly: Mask) -> None:
        order = np.lexsort((~clearly, states, keys))
        keys, states, clearly = keys[order], states[order], clearly[order]
        is_first = np.ones(len(keys), np.bool_)
        is_first[1:] = (np.diff(keys) != 0) | (np.diff(states) != 0)
        keys, states, clearly = keys[is_first], states[is_first], clearly[is_first]
        is_cut = (np.diff(keys) != 0) | (np.diff(states) > self._absent)
        cuts = [0, *(np.flatnonzero(is_cut) + 1).tolist(), len(keys)]
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
        if not span.has_begun:
            self._find_begin(key, span, states, clearly)
        span.last = last

    def _find_begin(self, key: int, span: _Span, states: Numbers, clearly: Mask) -> None:
        if not clearly.any():
            span.clear_count = 0
            return
        for state, is_clear in zip(states.tolist(), clearly.tolist(), strict=True):
            if not is_clear:
                span.clear_count = 0
                continue
            if span.clear_count == 0:
                span.clear_from = state
            span.clear_count += 1
            if span.clear_count >= self._clear:
                span.has_begun = True
                begin = 0 if span.clear_from <= self._absent else span.clear_from
                self._changes.append(Change(begin, key, True))
                return

    def _end(self, key: int) -> None:
        span = self._spans.pop(key)
        if span.has_begun:
            self._changes.append(Change(span.last + 1, key, False))


@dataclass
class Book:
    """Occasions and events, each with a permanent number.

    Attributes:
        stretches: occasions.
        of_fluent: numbers of each fluent's occasions.
        happenings: events.
        places: entity -> its occasions of ``loc``, each with the pose (7,) in the world.
    """

    stretches: list[Stretch] = field(default_factory=list)
    of_fluent: dict[str, list[int]] = field(default_factory=dict)
    happenings: list[Happening] = field(default_factory=list)
    places: defaultdict[str, list[tuple[Stretch, Floats]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def begin_occasion(self, fluent: str, a: str, b: str, from_ns: int) -> Stretch:
        """Add an occasion that starts."""
        stretch = Stretch(fluent, a, b, from_ns)
        self.of_fluent.setdefault(fluent, []).append(len(self.stretches))
        self.stretches.append(stretch)
        return stretch

    def add_event(
        self, time_ns: int, name: str, arguments: Mapping[str, Json], source: str = DERIVED
    ) -> None:
        """Add an event."""
        row = len(self.happenings)
        self.happenings.append(Happening(row, time_ns, name, source, arguments))


@dataclass(frozen=True, slots=True)
class Batch:
    """The next states.

    Attributes:
        states: states of a chunk.
        first: number of the first of them in the log.
        timeline: times of all states, including these.
        index: index of the scene.
    """

    states: States
    first: int
    timeline: Timeline
    index: SceneIndex

    @property
    def newest(self) -> int:
        """Number of the last state."""
        return len(self.timeline) - 1


Names = Callable[[int], tuple[str, str]]


class OccasionWriter:
    """Adds the spans of one fluent to the book as occasions.

    Args:
        fluent: its name.
        names: key -> the entities of the occasion.
        book: receives the occasions.
    """

    def __init__(self, fluent: str, names: Names, book: Book) -> None:
        self._fluent = fluent
        self._names = names
        self._book = book
        self._open: dict[int, Stretch] = {}

    def enter(self, changes: Iterable[Change], timeline: Timeline) -> list[tuple[Stretch, Change]]:
        """Add changes; return each with its occasion."""
        entered = []
        for change in changes:
            time_ns = timeline.time(change.state)
            if change.begins:
                stretch = self._book.begin_occasion(self._fluent, *self._names(change.key), time_ns)
                self._open[change.key] = stretch
            else:
                stretch = self._open.pop(change.key)
                stretch.to_ns = time_ns
            entered.append((stretch, change))
        return entered
