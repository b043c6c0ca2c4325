"""The views that SQL reads: their columns, with types and meaning."""

from __future__ import annotations

from typing import NamedTuple

TEXT, NUMBER, WHOLE, TRUTH, TEXTS, OBJECT = (
    *("VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"),
    *("VARCHAR[]", "JSON"),
)


class Column(NamedTuple):
    """A column of a view.

    Attributes:
        name: e.g. ``fluent``.
        type: as DuckDB names it.
        about: what it holds.
        optional: whether it is NULL where there is nothing to hold.
    """

    name: str
    type: str
    about: str
    optional: bool = False

    @property
    def quoted(self) -> str:
        """The name as SQL has to write it, for ``from`` and ``to`` are words of SQL."""
        return f'"{self.name}"'


_EPISODE = Column("episode", TEXT, "folder of the episode, below the one that was asked")
_FROM = Column("from", NUMBER, "since when [s]")
_TO = Column("to", NUMBER, "until just before [s]; as far as the log goes if it has not ended")
_ROW = Column("row", WHOLE, "number of the row, which evidence names")
_A = Column("a", TEXT, "the entity that it is about")
_B = Column("b", TEXT, "the other one", optional=True)
_POSE = tuple(
    Column(name, NUMBER, f"{about} in the world", optional=True)
    for name, about in (
        *((axis, f"{axis} [m]") for axis in "xyz"),
        *((f"q{part}", f"{part} of the rotation's quaternion") for part in "wxyz"),
    )
)

VIEWS: dict[str, tuple[Column, ...]] = {
    "occasions": (
        _EPISODE,
        Column("fluent", TEXT, "what held, e.g. `on`"),
        *(_A, _B, _FROM, _TO, _ROW),
        Column("ended", TRUTH, "whether it has ended"),
    ),
    "truths": (
        _EPISODE,
        Column("fluent", TEXT, "what holds or does not, e.g. `held_object`"),
        _A,
        Column("b", TEXT, "the other one while it holds", optional=True),
        Column("holds", TRUTH, "whether it holds, with any other; NULL: not known", optional=True),
        *(_FROM, _TO),
        Column("why", TEXT, "why it is not known", optional=True),
    ),
    "coverage": (
        _EPISODE,
        Column("claim", TEXT, "e.g. `grip`"),
        Column("subject", TEXT, "the robot, hand or object that it is about"),
        Column("checked", TRUTH, "whether it was checked"),
        *(_FROM, _TO),
        Column("sources", TEXTS, "from what, e.g. `contacts`"),
        Column("of", TEXTS, "of which links or joints"),
        Column("why", TEXT, "why it was not checked, or of what not", optional=True),
    ),
    "events": (
        _EPISODE,
        Column("time", NUMBER, "when [s]"),
        Column("name", TEXT, "what happened, e.g. `picked_up`"),
        Column("arguments", OBJECT, "what it is about, e.g. `arguments->>'object'`"),
        _ROW,
        Column("source", TEXT, "what reports it; `states` if it follows from the states"),
    ),
    "tasks": (
        _EPISODE,
        Column("id", TEXT, "unique in the episode"),
        Column("parent", TEXT, "the task that it is a part of", optional=True),
        Column("operation", TEXT, "e.g. `place`"),
        Column("goal", TEXT, 'an expression, e.g. `on("box", "tray")`', optional=True),
        Column("status", TEXT, "created, active, done, failed or cancelled: the last one"),
        *(_FROM, _TO, _ROW),
        Column("after", TEXTS, "tasks that must have ended before it begins"),
        Column("reason", TEXT, "why it failed, as the program says", optional=True),
        Column("variables", OBJECT, "the last values of its variables"),
    ),
    "beliefs": (
        _EPISODE,
        Column("fluent", TEXT, "as of occasions; `loc` for a pose"),
        *(_A, _B),
        Column("holds", TRUTH, "whether the robot believed that it holds; true of a pose"),
        *(_FROM, _TO, _ROW, *_POSE),
        Column("origin", TEXT, "the topic, or what the message says that it came from"),
    ),
    "belief_errors": (
        _EPISODE,
        Column("fluent", TEXT, "as of the belief"),
        *(_A, _B, _FROM, _TO, _ROW),
        Column("distance", NUMBER, "largest distance of a believed pose [m]; 0 of a truth"),
        Column("angle", NUMBER, "largest angle [rad]"),
        Column("believed", NUMBER, "when the last belief was formed [s]"),
        Column("moved", NUMBER, "when the world last moved away from the belief [s]"),
    ),
    "poses": (
        _EPISODE,
        Column("entity", TEXT, "whose pose it is"),
        *(_FROM, Column("to", NUMBER, "until it changed [s]"), *_POSE),
    ),
    "episodes": (
        _EPISODE,
        Column("start", NUMBER, "first time of the log [s]"),
        Column("known_until", NUMBER, "last time of the log [s]"),
        Column("finished", TRUTH, "whether the log is complete"),
    ),
}
"""View -> columns, those that the rows of all versions begin with first."""


def made(view: str) -> str:
    """Return the statement that makes the empty table behind a view."""
    columns = ", ".join(f"{column.quoted} {column.type}" for column in VIEWS[view])
    return f"CREATE TABLE {view} ({columns})"


def filled(view: str, source: str) -> str:
    """Return the statement that adds the rows of a table with the same columns, in which nothing is '' or NaN."""
    columns = ", ".join(map(_stored, VIEWS[view]))
    return f"INSERT INTO {view} SELECT {columns} FROM {source}"


def _stored(column: Column) -> str:
    if column.optional and column.type == TRUTH:
        return f"nullif({column.quoted}, 'nan'::DOUBLE)::{TRUTH}"
    nothing = {TEXT: "''", NUMBER: "'nan'::DOUBLE"}
    if column.optional:
        return f"nullif({column.quoted}, {nothing[column.type]})"
    if column.type == TEXTS:
        return f"{column.quoted}::JSON::{TEXTS}"
    return f"{column.quoted}::{column.type}"
