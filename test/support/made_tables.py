"""Tables of episodes made up in memory: a box, two cups and a tray on a table, and a robot with one hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats
from hetwin_core.episodes.tables.lists import EventList
from hetwin_core.episodes.tables.rows import (
    BORNE,
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

ENTITIES = (
    Entity("table", EntityKind.STATIC),
    Entity("tray", EntityKind.OBJECT),
    Entity("box", EntityKind.OBJECT),
    Entity("cup1", EntityKind.OBJECT),
    Entity("cup2", EntityKind.OBJECT),
    Entity("arm", EntityKind.ROBOT, joints=("lift", "finger")),
    Entity("base_link", EntityKind.LINK, owner="arm"),
    Entity("palm", EntityKind.LINK, owner="arm", parent="base_link", joint="lift"),
    Entity("fingertip", EntityKind.LINK, owner="arm", parent="palm", joint="finger"),
    Entity("right_hand", EntityKind.HAND, owner="arm", parent="palm", joints=("finger",)),
)
TEMPERATURE = AttributeSpec("temperature", 1, "K")
POSED = ("tray", "box", "cup1", "cup2", "base_link", "palm", "fingertip", "right_hand")
LAYOUT = Layout.build(ENTITIES, [*((name, POSE) for name in POSED), ("cup1", TEMPERATURE)])
RECORDED = frozenset(FLUENTS) - {"visible", "connected"}


def ns(seconds: float) -> int:
    """Seconds in ns."""
    return round(seconds * 1e9)


def span(begin: float, end: float) -> Interval:
    """An interval in s."""
    return Interval(ns(begin), ns(end))


@dataclass
class ListedOccasions:
    """Occasions in a list."""

    rows: list[Occasion] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Occasion]:
        return iter(self.rows)

    def __getitem__(self, row: int) -> Occasion:
        return self.rows[row]

    def find(self, fluent: str, a: str | None = None, b: str | None = None) -> list[Occasion]:
        """The rows of a fluent; symmetric ones in either order."""
        both = FLUENTS[fluent].symmetric if fluent in FLUENTS else False
        return [
            row
            for row in self.rows
            if row.fluent == fluent
            and (_is(row.a, row.b, a, b) or (both and _is(row.b, row.a, a, b)))
        ]


@dataclass
class ListedBeliefs:
    """Beliefs in a list."""

    rows: list[Belief] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Belief]:
        return iter(self.rows)

    def __getitem__(self, row: int) -> Belief:
        return self.rows[row]

    def find(
        self,
        fluent: str,
        a: str | None = None,
        b: str | None = None,
        during: Interval | None = None,
    ) -> list[Belief]:
        """The rows of a fluent that overlap an interval."""
        return [
            row
            for row in self.rows
            if row.fluent == fluent
            and _is(row.a, row.b, a, b)
            and (
                during is None
                or (row.span.from_ns < during.to_ns and during.from_ns < row.span.to_ns)
            )
        ]


class MadePoses:
    """Poses of states at a rate; entities stand at the origin unless a path says otherwise.

    Args:
        layout: of the scene.
        times: (n,) of the states [ns].
        paths: entity -> (n, 3) positions [m].
    """

    def __init__(self, layout: Layout, times: Sequence[int], paths: Mapping[str, Floats]) -> None:
        self._layout = layout
        self.times = np.array(times, np.int64)
        self.values = np.zeros((len(times), layout.size))
        for slot in layout.slots:
            if slot.attribute.name == POSE.name:
                self.values[:, slot.offset + 3] = 1.0
                if slot.entity in paths:
                    self.values[:, slot.offset : slot.offset + 3] = paths[slot.entity]

    def row(self, time_ns: int) -> int:
        """Number of the last state that is not later."""
        return max(0, int(np.searchsorted(self.times, time_ns, "right")) - 1)

    def at(self, entity: str, time_ns: int) -> tuple[int, Floats]:
        """Time and pose of the last state that is not later."""
        return self.value(entity, POSE.name, time_ns)

    def during(self, entity: str, span: Interval) -> tuple[Floats, Floats]:
        """Times and poses of the states in an interval, and of the one before."""
        first, last = self.row(span.from_ns), self.row(span.to_ns - 1)
        place = self._layout.range_of(entity, POSE.name)
        times: Floats = self.times[first : last + 1].astype(np.int64)
        return times, self.values[first : last + 1, place]

    def states(self, span: Interval) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Times and values of the states in an interval."""
        inside = (self.times >= span.from_ns) & (self.times < span.to_ns)
        yield self.times[inside], self.values[inside]

    def value(self, entity: str, attribute: str, time_ns: int) -> tuple[int, Floats]:
        """Time and value of an attribute in the last state that is not later."""
        row = self.row(time_ns)
        return int(self.times[row]), self.values[row, self._layout.range_of(entity, attribute)]

    def snapshot(self, time_ns: int) -> Snapshot:
        """The scene of the last state that is not later."""
        row, slots = self.row(time_ns), len(self._layout.slots)
        owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
        return Snapshot(
            self._layout,
            ("physics",),
            int(self.times[row]),
            self.values[row],
            owners,
            parents,
        )


@dataclass
class MadeTables:
    """Makes tables row by row; times in s.

    Attributes:
        end: when the log ends.
        finished: whether it has ended there.
        rate: states in each second.
    """

    end: float = 10.0
    finished: bool = True
    rate: int = 100
    recorded: frozenset[str] = RECORDED
    occasions: list[Occasion] = field(default_factory=list)
    events: list[Happening] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    beliefs: list[Belief] = field(default_factory=list)
    errors: list[BeliefError] = field(default_factory=list)
    told: set[tuple[str, str]] = field(default_factory=set)
    paths: dict[str, Floats] = field(default_factory=dict)
    expects: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def times(self) -> list[int]:
        """The times of all states [ns]."""
        return [ns(i / self.rate) for i in range(round(self.end * self.rate) + 1)]

    def held(self, fluent: str, a: str, b: str, *times: tuple[float, float | None]) -> None:
        """Add occasions; one that ends with None has not ended."""
        for begin, end in times:
            whole = span(begin, self.end if end is None else end)
            row = Occasion(len(self.occasions), fluent, a, b, whole, end is not None)
            self.occasions.append(row)

    def happened(
        self, name: str, time: float, source: str = DERIVED, **arguments: str | float
    ) -> None:
        """Add an event."""
        row = Happening(len(self.events), ns(time), name, source, arguments)
        self.events.append(row)

    def did(
        self,
        name: str,
        begin: float,
        end: float,
        *,
        parent: str = "",
        after: tuple[str, ...] = (),
        goal: str = "",
        status: Status = Status.DONE,
        **variables: object,
    ) -> None:
        """Add a task; its operation is its id without the number."""
        history = ((ns(begin), Status.ACTIVE), (ns(end), status))
        operation = name.partition(".")[0]
        whole, row = span(begin, end), len(self.tasks)
        self.tasks.append(
            Task(row, name, parent, after, operation, goal, status, "", variables, whole, history)  # type: ignore[arg-type]
        )

    def believed(
        self,
        fluent: str,
        a: str,
        b: str,
        *rows: tuple[float, float, bool | tuple[float, ...]],
        origin: str = "/beliefs",
    ) -> None:
        """Add beliefs: from, to, and whether it holds or the pose."""
        self.told.add((fluent, a))
        for begin, end, content in rows:
            pose = None if isinstance(content, bool) else content
            holds = content if isinstance(content, bool) else True
            row = len(self.beliefs)
            self.beliefs.append(Belief(row, fluent, a, b, holds, pose, span(begin, end), origin))

    def erred(
        self, fluent: str, a: str, begin: float, end: float, distance: float = 0.0, b: str = ""
    ) -> None:
        """Add a belief that was wrong."""
        row = len(self.errors)
        whole = span(begin, end)
        self.errors.append(
            BeliefError(row, fluent, a, b, whole, distance, 0.0, ns(begin) - 1, ns(begin))
        )

    def made(self) -> Tables:
        """The tables."""
        events = EventList(self.events, ns(self.end))
        return Tables(
            episode="made",
            layout=LAYOUT,
            start_ns=0,
            known_until_ns=ns(self.end),
            finished=self.finished,
            occasions=ListedOccasions([*self.occasions, *self._borne()]),
            events=events,
            tasks=self.tasks,
            beliefs=ListedBeliefs(self.beliefs),
            belief_errors=self.errors,
            recorded=self.recorded,
            believed=frozenset(self.told),
            poses=MadePoses(LAYOUT, self.times, self.paths),
            expects=self.expects,
            unseen=Unseen(LAYOUT, events, Interval(0, ns(self.end) + 1)),
        )

    def _borne(self) -> Iterator[Occasion]:
        """What stands on something is borne by it."""
        standing = [row for row in self.occasions if row.fluent == "on"]
        for row, one in enumerate(standing, len(self.occasions)):
            yield one._replace(row=row, fluent=BORNE)


def placed_box() -> MadeTables:
    """A box that is carried from the table onto the tray, beside two cups of which the second is knocked over."""
    made = MadeTables()
    made.held("on", "tray", "table", (0.0, None))
    made.held("on", "cup1", "table", (0.0, None))
    made.held("on", "cup2", "table", (0.0, 8.0))
    made.held("on", "box", "table", (0.0, 2.5))
    made.held("contact", "box", "fingertip", (2.0, 6.0))
    made.held("held", "box", "right_hand", (2.2, 6.0))
    made.held("moving", "box", "", (2.4, 5.8))
    made.held("on", "box", "tray", (5.8, None))
    made.held("contact", "cup2", "palm", (7.9, 8.1))
    made.happened("collision", 2.0, a="box", b="fingertip")
    made.happened("pick_up", 2.5, object="box", hand="right_hand")
    made.happened("picked_up", 2.6, "handling", object="box", hand="right_hand")
    made.happened("put_down", 6.1, "handling", object="box", support="tray")
    made.happened("collision", 7.9, a="cup2", b="palm")
    made.happened("fell", 8.2, "robot_health", object="cup2", height=0.1)
    made.happened("loc_change", 8.3, object="cup2")
    made.did("bring.1", 0.5, 9.0, goal='on("box", "tray")')
    made.did("pick_up.1", 1.0, 2.6, parent="bring.1", goal='held("box")', object="box")
    made.did("place.1", 2.6, 6.5, parent="bring.1", goal='on("box", "tray")', object="box")
    made.did("retreat.1", 6.5, 9.0, parent="bring.1")
    states = len(made.times)
    made.paths["box"] = np.linspace([0.4, 0.2, 0.5], [0.6, -0.2, 0.9], states)
    made.paths["base_link"] = np.tile([1.0, 2.0, 0.0], (states, 1))
    here = (0.4, 0.2, 0.5, 1.0, 0.0, 0.0, 0.0)
    made.believed("loc", "box", "", (0.0, 4.0, here), (4.0, 10.0, (0.6, *here[1:])))
    made.erred("loc", "box", 1.0, 4.0, 0.2)
    return made


def _is(a: str, b: str, wanted_a: str | None, wanted_b: str | None) -> bool:
    return (wanted_a is None or a == wanted_a) and (wanted_b is None or b == wanted_b)
