"""Where the events of two runs part."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.words import event_words, is_routine_touch
from hetwin_core.episodes.comparing.comparison import Parting
from hetwin_core.episodes.comparing.pairing import unpaired
from hetwin_core.episodes.comparing.side import Side
from hetwin_core.episodes.tables.rows import DERIVED, Happening, Interval

_COUNTERPART_NS = 1_000_000_000
"""How far an event may be from what the other run has instead of it."""
_EDGES = ("collision", "collision_end", "loc_change")
"""Derived events that are the edges of occasions or of motion, which are compared themselves, without their flicker."""


class Split(NamedTuple):
    """An event that only one run has, or that the runs have differently; at least one of them is there."""

    here: Happening | None
    there: Happening | None

    @property
    def first(self) -> Happening:
        """The earlier one."""
        found = [event for event in self if event is not None]
        return min(found, key=lambda event: event.time_ns)

    @property
    def time_ns(self) -> int:
        """When the earlier one happened."""
        return self.first.time_ns


def split_events(here: Side, there: Side, span: Interval) -> list[Split]:
    """Return the events in which the runs differ, in order; those of the same name about the same time together.

    Two events are the same if their names and all arguments but numbers are.
    """
    alone = unpaired(_compared(here, span), _compared(there, span), _key, _time)
    left, right = (list(events) for events in alone)
    splits = []
    while left or right:
        swap = not left or (right and _time(right[0]) < _time(left[0]))
        mine, others = (right, left) if swap else (left, right)
        event = mine.pop(0)
        other = _counterpart(event, others)
        if other is not None:
            others.remove(other)
        splits.append(Split(other, event) if swap else Split(event, other))
    return splits


def parting_of(split: Split, here: Side, there: Side) -> Parting:
    """Return the place where the runs part by these events."""
    rows = [None if event is None else event_row(event) for event in split]
    named: dict[str, None] = {}
    for event in split:
        if event is not None:
            named |= dict.fromkeys(entities_of(event, here, there))
    return Parting(split.time_ns, tuple(named), *rows)


def event_row(event: Happening) -> dict[str, Json]:
    """Return an event as JSON, the time in s."""
    return {
        "name": event.name,
        "time": event.time_ns / 1e9,
        "arguments": dict(event.arguments),
    }


def entities_of(event: Happening, here: Side, there: Side) -> list[str]:
    """Return the entities that an event names."""
    texts = (text for value in event.arguments.values() for text in _texts(value))
    known = (here.layout, there.layout)
    found = (text for text in texts if any(layout.entity_id(text) >= 0 for layout in known))
    return list(dict.fromkeys(found))


def split_words(split: Split) -> str:
    """Return what the runs have of an event, in words."""
    one, other = split
    if one is None:
        return f"only there: {_words(split.first)}"
    if other is None:
        return f"only here: {_words(split.first)}"
    apart = (other.time_ns - one.time_ns) / 1e9
    if _key(one) == _key(other):
        when = f"{abs(apart):.2f} s {'later' if apart > 0.0 else 'earlier'} there"
        return f"{_words(one)}, {when}"
    return f"here: {_words(one)}; there: {_words(other)}"


def _words(event: Happening) -> str:
    known = _event(event)
    words = event_words(known)
    return words if known.kind is EventKind.MODEL else f"robot: {words}"


def _event(event: Happening) -> Event:
    kind = EventKind.ACTION if "phase" in event.arguments else EventKind.MODEL
    return Event(event.name, event.time_ns, kind, event.source, event.row, event.arguments)


def _compared(side: Side, span: Interval) -> list[Happening]:
    return [
        event
        for event in side.tables.events
        if span.from_ns <= event.time_ns < span.to_ns
        and not (event.source == DERIVED and event.name in _EDGES)
        and not is_routine_touch(_event(event))
    ]


def _key(event: Happening) -> Hashable:
    return event.name, json.dumps(_without_numbers(event.arguments), sort_keys=True)


def _time(event: Happening) -> int:
    return event.time_ns


def _without_numbers(value: Json | Mapping[str, Json]) -> Json:
    if isinstance(value, Mapping):
        kept = {key: _without_numbers(v) for key, v in value.items() if not _is_number(v)}
        return {key: v for key, v in kept.items() if v is not None}
    if isinstance(value, list):
        return [_without_numbers(item) for item in value if not _is_number(item)]
    return value


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _counterpart(event: Happening, others: Sequence[Happening]) -> Happening | None:
    """Return what the other run has instead: an event of the same name about some of the same, near in time."""
    named = {text for value in event.arguments.values() for text in _texts(value)}
    for other in others:
        apart = abs(other.time_ns - event.time_ns)
        same = _key(event) == _key(other)
        if apart > _COUNTERPART_NS or other.name != event.name:
            continue
        if same or named & {text for value in other.arguments.values() for text in _texts(value)}:
            return other
    return None
