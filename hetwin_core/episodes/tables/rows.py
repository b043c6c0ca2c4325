"""The rows of an episode's tables, and the fluents that they are about; all times are simulated, in ns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.tasks import Status as Status


class Fluent(NamedTuple):
    """A fluent.

    Attributes:
        arguments: its entities.
        about: in words.
        symmetric: whether ``f(a, b)`` is ``f(b, a)``; it is kept once.
    """

    arguments: tuple[str, ...]
    about: str
    symmetric: bool = False


BORNE = "borne_by"
"""An object that stands on something is borne by it, and stays so while it is pushed along, or tips."""

FLUENTS: dict[str, Fluent] = {
    "contact": Fluent(("a", "b"), "two bodies touch", symmetric=True),
    "on": Fluent(("a", "b"), "a stands on b: in contact, supported from below, and at rest on it"),
    BORNE: Fluent(
        ("a", "b"), "b bears a: since a came to rest on it, pushed along or not, until it leaves it"
    ),
    "attached": Fluent(
        ("a", "b"), "a moves rigidly with b (a hand or a link) while they are in contact"
    ),
    "loc": Fluent(("a",), "the pose of an entity; one interval for each stay at an unchanged pose"),
    "moving": Fluent(("a",), "an entity moves"),
    "visible": Fluent(("a",), "a camera of the robot can see an entity"),
    "held": Fluent(("a", "hand"), "a hand holds an object"),
    "dropped": Fluent(
        ("a", "hand"), "an object lies where it fell from a hand, until one holds it"
    ),
    "in_container": Fluent(("a", "container"), "an object is inside a container"),
    "connected": Fluent(("a", "b"), "a plug is connected to its socket"),
}
"""Those that are always there; a truth that a model provides as an attribute is one more, by its name."""


def is_symmetric(fluent: str) -> bool:
    """Whether ``f(a, b)`` is ``f(b, a)``."""
    known = FLUENTS.get(fluent)
    return known is not None and known.symmetric


class Interval(NamedTuple):
    """From `from_ns` to just before `to_ns`."""

    from_ns: int
    to_ns: int


class Occasion(NamedTuple):
    """A state of the world that held.

    Attributes:
        row: its number in the table, which does not change while the table grows.
        fluent: e.g. ``on``; see `fluents`.
        a: the entity that it is about.
        b: the other one; empty if there is none.
        span: when it held; it ends where the log is known up to if it has not ended.
        ended: whether it has ended.
    """

    row: int
    fluent: str
    a: str
    b: str
    span: Interval
    ended: bool


@dataclass(frozen=True, slots=True)
class Happening:
    """An event: reported by a model, trigger or topic, or derived from the states.

    Attributes:
        row: its number in the table.
        time_ns: when it happened.
        name: e.g. ``picked_up``, ``collision``.
        source: name of the reporter; `DERIVED` if it follows from the states.
        arguments: its subject.
    """

    row: int
    time_ns: int
    name: str
    source: str
    arguments: Mapping[str, Json] = field(default_factory=dict)

    @property
    def span(self) -> Interval:
        """An interval of zero length at its time."""
        return Interval(self.time_ns, self.time_ns)


DERIVED = "states"
"""Source of events that were found in the states."""

DERIVED_EVENTS = (
    "collision",
    "collision_end",
    "loc_change",
    "pick_up",
    "set_down",
    "perceived",
)
"""Their names; an action of the robot's program that is called so is a task, but no event."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the robot's program.

    Attributes:
        row: its number in the table.
        id: unique in the episode; made from operation and a count where the program gives none.
        parent: the task that it is a part of; empty for none.
        after: tasks that must have ended before it begins.
        operation: e.g. ``place``.
        goal: an expression, e.g. ``on("box", "tray")``; empty if it has none.
        status: the last one.
        reason: why it failed, by the program.
        variables: its variables, the last values.
        settings: (time, variables that were set then) in order.
        span: from when it was active to its end; to where the log is known if it has not ended.
        history: (time, status) in order.
    """

    row: int
    id: str
    parent: str
    after: tuple[str, ...]
    operation: str
    goal: str
    status: Status
    reason: str
    variables: Mapping[str, Json]
    span: Interval
    history: tuple[tuple[int, Status], ...]
    settings: tuple[tuple[int, Mapping[str, Json]], ...] = ()

    def variables_at(self, time_ns: int) -> dict[str, Json]:
        """Return the values that its variables had at a time."""
        settings = self.settings or ((self.span.from_ns, self.variables),)
        return {k: v for at, said in settings if at <= time_ns for k, v in said.items()}


class Belief(NamedTuple):
    """A belief of the robot for a while.

    Attributes:
        row: its number in the table.
        fluent: as of occasions; ``loc`` for a pose.
        a: the entity.
        b: the other one; empty for none.
        holds: whether the robot believed that it holds; True of a pose.
        pose: of the entity in the world (x y z, qw qx qy qz), if it is one; each message of a pose is a row.
        span: from the message to the one that replaced it.
        origin: the topic, or the origin in the message.
    """

    row: int
    fluent: str
    a: str
    b: str
    holds: bool
    pose: tuple[float, ...] | None
    span: Interval
    origin: str


class BeliefError(NamedTuple):
    """A belief that was wrong for a while.

    Attributes:
        row: its number in the table.
        fluent: as of the belief.
        a: the entity.
        b: the other one; empty for none.
        span: while it was wrong.
        distance: the largest distance of a believed pose [m]; 0 of a truth.
        angle: the largest angle [rad].
        believed_ns: when the last belief before the end of `span` was formed.
        moved_ns: when the world last moved away from the belief; `span.from_ns` unless the belief was wrong at once.
    """

    row: int
    fluent: str
    a: str
    b: str
    span: Interval
    distance: float
    angle: float
    believed_ns: int
    moved_ns: int


Row = dict[str, Any]
"""A row as queries see it."""

_TABLES: Mapping[type, str] = {
    Occasion: "occasions",
    Happening: "events",
    Task: "tasks",
    BeliefError: "belief_errors",
}


def row_of(found: Any, **more: object) -> Row:
    """Return a row of a table, or a finding, as queries see it: a mapping, with times in s.

    Its fields and properties become values: one that ends with ``_ns`` loses that, an interval is two times.
    """
    kind = type(found)
    row: Row = {"table": _TABLES[kind]} if kind in _TABLES else {}
    for name in _names(kind):  # type: ignore[arg-type]  # types are hashable
        value = getattr(found, name)
        if isinstance(value, Interval):
            row |= {"from": value.from_ns / 1e9, "to": value.to_ns / 1e9}
        elif name.endswith("_ns"):
            row[name.removesuffix("_ns")] = None if value is None else value / 1e9
        else:
            row[name] = _shown(value)
    return row | more


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Fields and properties of rows and findings, but for the former states of tasks."""
    own = [name for name, value in vars(kind).items() if isinstance(value, property)]
    names = getattr(kind, "_fields", None) or [one.name for one in fields(kind)]
    return tuple(name for name in (*names, *own) if name not in ("history", "settings"))


def _shown(value: Any) -> Any:
    match value:
        case Status():
            return value.value
        case str() | float() | None:
            return value
        case Mapping():
            return dict(value)
        case _ if is_dataclass(value) or type(value) in _TABLES:
            return row_of(value)
        case tuple() | list():
            return [_shown(one) for one in value]
    return value


def picked(found: Any, *names: str) -> Row:
    """Return some of the values of a row of a table, with times in s."""
    row = row_of(found)
    return {name: row[name] for name in names}
