"""Tables of an episode made up in memory, without a run or a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.tables.lists import EventList
from hetwin_core.episodes.tables.rows import (
    DERIVED,
    FLUENTS,
    Belief,
    BeliefError,
    Happening,
    Interval,
    Occasion,
    Status,
    Task,
)
from hetwin_core.episodes.tables.tables import Tables, Unseen
from support.made_episode import END_S, STATES, poses

Row = TypeVar("Row", Occasion, Belief)


def ns(time_s: float) -> int:
    """A time in ns."""
    return round(time_s * 1e9)


def between(begin_s: float, end_s: float) -> Interval:
    """An interval of times in s."""
    return Interval(ns(begin_s), ns(end_s))


class MadeRows(Generic[Row]):
    """Occasions or beliefs in a list."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = list(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __getitem__(self, row: int) -> Row:
        return self._rows[row]

    def find(
        self,
        fluent: str,
        a: str | None = None,
        b: str | None = None,
        during: Interval | None = None,
    ) -> list[Row]:
        """The rows of a fluent, by begin."""
        return sorted(
            (row for row in self._rows if row.fluent == fluent and _fits(row, a, b, during)),
            key=lambda row: row.span,
        )


def _fits(row: Occasion | Belief, a: str | None, b: str | None, during: Interval | None) -> bool:
    pairs = [(row.a, row.b)]
    if row.fluent in FLUENTS and FLUENTS[row.fluent].symmetric:
        pairs.append((row.b, row.a))
    meets = during is None or (row.span.from_ns < during.to_ns and during.from_ns < row.span.to_ns)
    return meets and any(a in (None, one) and b in (None, two) for one, two in pairs)


class MadePoses:
    """Poses of states in memory, which come in chunks of 100."""

    def __init__(self, layout: Layout, times: NDArray[np.int64], values: Floats) -> None:
        self._layout, self._times, self._values = layout, times, values

    def row(self, time_ns: int) -> int:
        return max(0, int(np.searchsorted(self._times, time_ns, side="right")) - 1)

    def value(self, entity: str, attribute: str, time_ns: int) -> tuple[int, Floats]:
        row = self.row(time_ns)
        return int(self._times[row]), self._values[row, self._layout.range_of(entity, attribute)]

    def at(self, entity: str, time_ns: int) -> tuple[int, Floats]:
        return self.value(entity, POSE.name, time_ns)

    def during(self, entity: str, span: Interval) -> tuple[Any, Floats]:
        first = self.row(span.from_ns)
        last = int(np.searchsorted(self._times, span.to_ns, side="left"))
        columns = self._layout.range_of(entity, POSE.name)
        return self._times[first:last], self._values[first:last, columns]

    def states(self, span: Interval) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        inside = (self._times >= span.from_ns) & (self._times < span.to_ns)
        times, values = self._times[inside], self._values[inside]
        for first in range(0, len(times), 100):
            yield times[first : first + 100], values[first : first + 100]

    def snapshot(self, time_ns: int) -> Any:
        raise NotImplementedError


def occasions(*rows: tuple[str, str, str, float, float]) -> MadeRows[Occasion]:
    """Occasions from fluent, a, b, begin and end [s]; one that ends with the episode has not ended."""
    return MadeRows(
        [
            Occasion(i, fluent, a, b, between(begin, end), end < END_S)
            for i, (fluent, a, b, begin, end) in enumerate(rows)
        ]
    )


def happenings(*rows: tuple[float, str, dict[str, Any]], source: str = DERIVED) -> list[Happening]:
    """Events from time [s], name and arguments."""
    return [
        Happening(i, ns(time), name, source, arguments)
        for i, (time, name, arguments) in enumerate(rows)
    ]


def task(row: int, identity: str, begin: float, end: float, **more: Any) -> Task:
    """A task that is done; its operation is its id's beginning."""
    status = more.pop("status", Status.DONE)
    return Task(
        row,
        identity,
        more.pop("parent", ""),
        more.pop("after", ()),
        identity.partition(".")[0],
        more.pop("goal", ""),
        status,
        more.pop("reason", ""),
        more,
        between(begin, end),
        ((ns(begin), Status.ACTIVE), (ns(end), status)),
    )


def made_tables(
    entities: Sequence[Entity] = (), positions: dict[str, Floats] | None = None, **more: Any
) -> Tables:
    """Tables of an episode of 10 s.

    Args:
        entities: of the scene; objects, if they are left out, of all that have positions.
        positions: entity -> (3,) or (STATES, 3) positions.
        **more: fields of `Tables`.
    """
    positions = positions or {}
    entities = entities or [Entity(name, EntityKind.OBJECT) for name in positions]
    layout = Layout.build(list(entities), [(name, POSE) for name in positions])
    times = np.round(np.linspace(0.0, END_S, STATES) * 1e9).astype(np.int64)
    columns = [poses(position) for position in positions.values()]
    values = np.concatenate([np.empty((STATES, 0)), *columns], axis=1)
    fields: dict[str, Any] = {
        "episode": "made_up",
        "layout": layout,
        "start_ns": 0,
        "known_until_ns": ns(END_S),
        "finished": True,
        "occasions": occasions(),
        "events": EventList([], ns(END_S)),
        "tasks": [],
        "beliefs": MadeRows[Belief]([]),
        "belief_errors": [],
        "recorded": frozenset(FLUENTS) - {"visible"},
        "believed": frozenset(),
        "poses": MadePoses(layout, times, values),
        "expects": {},
        "unseen": Unseen(layout, [], Interval(0, ns(END_S) + 1)),
    }
    return Tables(**{**fields, **more})


def carried_box() -> Tables:
    """A box is carried from the table to the tray, falls off it at 8 s, and is still believed to be on it."""
    times = np.linspace(0.0, END_S, STATES)
    box = np.zeros((STATES, 3))
    box[:, 0] = np.interp(times, [2.0, 4.0], [0.4, 0.8])
    box[:, 2] = np.interp(times, [7.8, 8.0], [0.5, 0.1])
    believed = (0.8, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)
    return made_tables(
        positions={"box": box, "tray": np.array([0.8, 0.0, 0.4]), "table": np.zeros(3)},
        occasions=occasions(
            ("on", "box", "table", 0.0, 2.0),
            ("contact", "box", "right_hand", 1.9, 4.1),
            ("held", "box", "right_hand", 2.0, 4.0),
            ("moving", "box", "", 2.0, 4.0),
            ("on", "box", "tray", 4.0, 7.8),
            ("moving", "box", "", 7.8, 8.0),
            ("on", "box", "table", 8.0, END_S),
        ),
        events=happenings(
            (2.0, "pick_up", {"object": "box", "hand": "right_hand"}),
            (4.0, "set_down", {"object": "box", "support": "tray"}),
            (8.0, "fell", {"object": "box"}),
        ),
        tasks=[
            task(0, "place.1", 1.0, 4.5, goal='on("box", "tray")', speed=0.2),
            task(1, "carry.1", 2.0, 4.0, parent="place.1", after=("reach.1",)),
            task(2, "retreat.1", 4.5, 6.0, status=Status.FAILED, reason="stuck"),
        ],
        beliefs=MadeRows(
            [
                Belief(0, "loc", "box", "", True, believed, between(4.0, END_S), "/believed/box"),
                Belief(1, "on", "box", "tray", True, None, between(4.0, END_S), "/beliefs"),
            ]
        ),
        belief_errors=[
            BeliefError(0, "loc", "box", "", between(7.9, END_S), 0.4, 0.1, ns(4.0), ns(7.9)),
            BeliefError(1, "on", "box", "tray", between(7.8, END_S), 0.0, 0.0, ns(4.0), ns(7.8)),
        ],
        believed=frozenset({("loc", "box"), ("on", "box")}),
    )
