"""What can be seen in the tables of a future: its events, and where things went."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.ensemble.sentences.catalogue import group, say
from hetwin_core.ensemble.words import event_words
from hetwin_core.episodes.tables.rows import Happening, Interval
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite._study.runs.run_result import Seen

MOVED_M = 0.005
POINTS = 60
"""Most points of a path."""


def events_since(tables: Tables, time_ns: int) -> tuple[Seen, ...]:
    """Return the events after a time; without what the robot's program says, which is given."""
    whole = _wholes(tables.layout)
    found = (_seen(one, whole) for one in tables.events if _is_news(one, time_ns))
    return tuple(sorted(found, key=lambda seen: seen.time_ns))


def actions_after(
    tables: Tables, time_ns: int, replaced: bool
) -> tuple[tuple[str, Mapping[str, Json]], ...]:
    """Return operation and arguments of what the robot's program does and had not done at a time.

    Args:
        tables: of the whole run.
        time_ns: when.
        replaced: whether another program took over then, so that what it was doing was given up.
    """
    return tuple(
        (one.operation, dict(one.variables))
        for one in tables.tasks
        if (one.span.from_ns >= time_ns if replaced else one.span.to_ns > time_ns)
    )


def _is_news(one: Happening, time_ns: int) -> bool:
    return one.time_ns > time_ns and not one.source.startswith("/")  # a topic says what is given


def _wholes(layout: Layout) -> dict[str, str]:
    """Return entity -> what it is named as: links as their robot or model."""
    return {
        entity.name: entity.owner if entity.kind is EntityKind.LINK else entity.name
        for entity in layout.entities
    }


def _seen(one: Happening, whole: Mapping[str, str]) -> Seen:
    named = {
        key: whole[value]
        for key, value in one.arguments.items()
        if isinstance(value, str) and value in whole
    }
    entities = tuple(dict.fromkeys(named.values()))
    name = f"{one.name}({', '.join(entities)})"
    return Seen(name, one.name, entities[0] if entities else "", _words(one, named), one.time_ns)


def _words(one: Happening, named: Mapping[str, str]) -> str:
    entry = group("future").get(one.name)
    if entry is not None and named.keys() >= {*entry.fields}:
        return say(f"future.{one.name}", **named)
    event = Event(one.name, one.time_ns, source=one.source, arguments={**one.arguments, **named})
    return event_words(event)


def paths_since(tables: Tables, time_ns: int) -> dict[str, Floats]:
    """Return object -> (n, 4) times [s] and positions [m] after a time, of the objects that have moved."""
    span = Interval(time_ns, tables.known_until_ns + 1)
    names = [e.name for e in tables.layout.of_kind(EntityKind.OBJECT)]
    columns = {
        name: tables.layout.range_of(name, POSE.name)
        for name in names
        if tables.layout.has(name, POSE.name)
    }
    times: list[Floats] = []
    parts: dict[str, list[Floats]] = {name: [] for name in columns}
    for stamps, values in tables.poses.states(span):
        times.append(stamps / 1e9)
        for name, column in columns.items():
            parts[name].append(values[:, column][:, :3].copy())
    if not times:
        return {}
    stamps_s = np.concatenate(times)
    rows = np.unique(np.linspace(0, len(stamps_s) - 1, POINTS).round().astype(int))
    found: dict[str, Floats] = {}
    for name, pieces in parts.items():
        at = np.concatenate(pieces)
        if np.ptp(at, axis=0).max() > MOVED_M:
            found[name] = np.column_stack((stamps_s, at))[rows]
    return found
