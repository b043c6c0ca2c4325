"""The views that SQL reads: names, types and meanings of their columns."""

from __future__ import annotations

from typing import NamedTuple

TEXT, NUMBER, INTEGER, BOOLEAN, TEXT_LIST, OBJECT = (
    *("VARCHAR", "DOUBLE", "BIGINT", "BOOLEAN"),
    *("VARCHAR[]", "JSON"),
)


class Column(NamedTuple):
    """A column of a view.

    Attributes:
        name: name, e.g. ``fluent``.
        type: type in DuckDB's SQL.
        about: description of the values; ends up in the documentation.
        optional: whether the column may be NULL.
    """

    name: str
    type: str
    about: str
    optional: bool = False

    @property
    def quoted(self) -> str:
        """The name in double quotes, since ``from`` and ``to`` are keywords of SQL."""
        return f'"{self.name}"'


_EPISODE = Column("episode", TEXT, "folder of the episode, relative to the queried one")
_FROM = Column("from", NUMBER, "start [s]")
_TO = Column("to", NUMBER, "end, exclusive [s]; the end of the log if it has not ended")
_ROW = Column("row", INTEGER, "number of the row, which evidence names")
_A = Column("a", TEXT, "first entity")
_B = Column("b", TEXT, "second entity", optional=True)
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
        Column("fluent", TEXT, "fluent that held, e.g. `on`"),
        *(_A, _B, _FROM, _TO, _ROW),
        Column("ended", BOOLEAN, "whether it has ended"),
    ),
    "truths": (
        _EPISODE,
        Column("fluent", TEXT, "fluent, e.g. `held_object`"),
        _A,
        Column("b", TEXT, "second entity while it holds", optional=True),
        Column(
            "holds", BOOLEAN, "whether it holds with any entity; NULL: not known", optional=True
        ),
        *(_FROM, _TO),
        Column("why", TEXT, "reason why it is not known", optional=True),
    ),
    "coverage": (
        _EPISODE,
        Column("claim", TEXT, "kind of claim, e.g. `grip`"),
        Column("subject", TEXT, "robot, hand or object of the claim"),
        Column("checked", BOOLEAN, "whether it was checked"),
        *(_FROM, _TO),
        Column("sources", TEXT_LIST, "sources of the check, e.g. `contacts`"),
        Column("of", TEXT_LIST, "checked links or joints"),
        Column("why", TEXT, "why it was not checked, or which part was not", optional=True),
    ),
    "events": (
        _EPISODE,
        Column("time", NUMBER, "time [s]"),
        Column("name", TEXT, "name of the event, e.g. `picked_up`"),
        Column("arguments", OBJECT, "arguments, e.g. `arguments->>'object'`"),
        _ROW,
        Column("source", TEXT, "model that reports it; `states` if derived from states"),
    ),
    "tasks": (
        _EPISODE,
        Column("id", TEXT, "id, unique in the episode"),
        Column("parent", TEXT, "id of the parent task", optional=True),
        Column("operation", TEXT, "operation, e.g. `place`"),
        Column("goal", TEXT, 'an expression, e.g. `on("box", "tray")`', optional=True),
        Column("status", TEXT, "last status: created, active, done, failed or cancelled"),
        *(_FROM, _TO, _ROW),
        Column("after", TEXT_LIST, "tasks that must end before it starts"),
        Column("reason", TEXT, "reason of a failure, given by the program", optional=True),
        Column("variables", OBJECT, "last values of its variables"),
    ),
    "beliefs": (
        _EPISODE,
        Column("fluent", TEXT, "fluent as in occasions; `loc` for a pose"),
        *(_A, _B),
        Column("holds", BOOLEAN, "whether the robot believed that it holds; true for a pose"),
        *(_FROM, _TO, _ROW, *_POSE),
        Column("origin", TEXT, "topic, or the origin given in the message"),
    ),
    "belief_errors": (
        _EPISODE,
        Column("fluent", TEXT, "fluent of the belief"),
        *(_A, _B, _FROM, _TO, _ROW),
        Column("distance", NUMBER, "maximum error of a believed position [m]; 0 for a truth"),
        Column("angle", NUMBER, "maximum error of a believed orientation [rad]"),
        Column("believed", NUMBER, "time of the last update of the belief [s]"),
        Column("moved", NUMBER, "last time at which the world departed from the belief [s]"),
    ),
    "poses": (
        _EPISODE,
        Column("entity", TEXT, "entity with the pose"),
        *(_FROM, Column("to", NUMBER, "until it changed [s]"), *_POSE),
    ),
    "episodes": (
        _EPISODE,
        Column("start", NUMBER, "first time of the log [s]"),
        Column("known_until", NUMBER, "last time of the log [s]"),
        Column("finished", BOOLEAN, "whether the log is complete"),
    ),
}
"""View -> its columns."""


def create_statement(view: str) -> str:
    """Return the statement that creates the empty table behind a view."""
    columns = ", ".join(f"{column.quoted} {column.type}" for column in VIEWS[view])
    return f"CREATE TABLE {view} ({columns})"


def insert_statement(view: str, source: str) -> str:
    """Return the statement that inserts the rows of a table with the same columns, with '' and NaN as NULL."""
    columns = ", ".join(map(_insert_expression, VIEWS[view]))
    return f"INSERT INTO {view} SELECT {columns} FROM {source}"


def _insert_expression(column: Column) -> str:
    if column.optional and column.type == BOOLEAN:
        return f"nullif({column.quoted}, 'nan'::DOUBLE)::{BOOLEAN}"
    null_value = {TEXT: "''", NUMBER: "'nan'::DOUBLE"}
    if column.optional:
        return f"nullif({column.quoted}, {null_value[column.type]})"
    if column.type == TEXT_LIST:
        return f"{column.quoted}::JSON::{TEXT_LIST}"
    return f"{column.quoted}::{column.type}"
