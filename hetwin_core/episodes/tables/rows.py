"""The rows of an episode's tables, and their fluents; all times are simulated, in ns."""

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
        arguments: names of its arguments.
        about: its meaning in words.
        symmetric: whether ``f(a, b)`` equals ``f(b, a)``; it is stored once.
    """

    arguments: tuple[str, ...]
    about: str
    symmetric: bool = False


BORNE = "borne_by"
"""Fluent of an object that stands on something; it also holds while the object is pushed along or tips."""

FLUENTS: dict[str, Fluent] = {
    "contact": Fluent(("a", "b"), "two bodies touch", symmetric=True),
    "on": Fluent(("a", "b"), "a stands on b: in contact, supported from below, and at rest on it"),
    BORNE: Fluent(
        ("a", "b"), "a has come to rest on b and not left it since, even if it was pushed along"
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
"""Fluents of every episode; a truth that a model provides as an attribute is another fluent, with its name."""


def is_symmetric(fluent: str) -> bool:
    """Whether ``f(a, b)`` equals ``f(b, a)``."""
    known = FLUENTS.get(fluent)
    return known is not None and known.symmetric


class Interval(NamedTuple):
    """From `from_ns` to just before `to_ns`."""

    from_ns: int
    to_ns: int


class Occasion(NamedTuple):
    """A state of the world that held for some time.

    Attributes:
        row: its number in the table, which does not change while the table grows.
        fluent: e.g. ``on``; see `FLUENTS`.
        a: the first entity.
        b: the second entity; empty if there is none.
        span: its interval; it ends at the known end of the log if the occasion has not ended.
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
        time_ns: simulated time.
        name: e.g. ``picked_up``, ``collision``.
        source: name of the reporter; `DERIVED` for an event from the states.
        arguments: its arguments, e.g. ``object``.
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
"""Source of events that are derived from the states."""

DERIVED_EVENTS = (
    "collision",
    "collision_end",
    "loc_change",
    "pick_up",
    "set_down",
    "perceived",
)
"""Names of derived events; an action of the robot's program with such a name is a task, but not an event."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the robot's program.

    Attributes:
        row: its number in the table.
        id: unique in the episode; made from operation and a count if the program gives none.
        parent: id of the task that it is a part of; empty for none.
        after: tasks that must have ended before it begins.
        operation: e.g. ``place``.
        goal: an expression, e.g. ``on("box", "tray")``; empty without one.
        status: the last status.
        reason: reason of its failure, from the program.
        variables: last values of its variables.
        settings: (time, variables that were set then) in order.
        span: from its activation to its end; to the known end of the log if it has not ended.
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
        """Return the values of its variables at a time."""
        settings = self.settings or ((self.span.from_ns, self.variables),)
        return {k: v for at, values in settings if at <= time_ns for k, v in values.items()}


class Belief(NamedTuple):
    """A belief of the robot, held for some time.

    Attributes:
        row: its number in the table.
        fluent: as in occasions; ``loc`` for a pose.
        a: the first entity.
        b: the second entity; empty for none.
        holds: whether the robot believes the fluent to be true; True for a pose.
        pose: pose of the entity in the world (x y z [m], qw qx qy qz), for ``loc``; each message of a pose is a
            row.
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
    """A belief that was incorrect for some time.

    Attributes:
        row: its number in the table.
        fluent: fluent of the belief.
        a: the first entity.
        b: the second entity; empty for none.
        span: interval of the error.
        distance: maximum error of a believed position [m]; 0 for other fluents.
        angle: maximum error of a believed orientation [rad].
        believed_ns: when the last belief before the end of `span` was formed.
        moved_ns: when the world last moved away from the belief; `span.from_ns` unless the message itself was
            outdated.
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
"""A row as a mapping for queries."""

_TABLES: Mapping[type, str] = {
    Occasion: "occasions",
    Happening: "events",
    Task: "tasks",
    BeliefError: "belief_errors",
}


def row_of(found: Any, **more: object) -> Row:
    """Return a row of a table, or a finding, as a mapping for queries, with times in s.

    Its fields and properties become values: the suffix ``_ns`` is removed, an interval becomes ``from`` and ``to``.
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
            row[name] = _query_value(value)
    return row | more


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Fields and properties of rows and findings, without the history of tasks."""
    own = [name for name, value in vars(kind).items() if isinstance(value, property)]
    names = getattr(kind, "_fields", None) or [item.name for item in fields(kind)]
    return tuple(name for name in (*names, *own) if name not in ("history", "settings"))


def _query_value(value: Any) -> Any:
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
            return [_query_value(item) for item in value]
    return value


def picked(found: Any, *names: str) -> Row:
    """Return some values of a table's row, with times in s."""
    row = row_of(found)
    return {name: row[name] for name in names}
