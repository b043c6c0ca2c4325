"""The scene at one time, as models read it: values, owners, and tables that are computed on first access."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scene.layout import Layout, Selection
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints, Value


class Columns(NamedTuple):
    """The columns of a table.

    Attributes:
        number: number of columns.
        unknown: indices of those that may be NaN.
    """

    number: int
    unknown: tuple[int, ...] = ()


PROXIMITY, ROBOT_JOINTS, CLEARANCES, TOUCHES = "proximity", "robot_joints", "clearances", "touches"
"""Names of tables of a snapshot."""
WRENCHES = "wrenches"
"""Table of the force sensors' messages since the last state, one row per message."""
TABLES: Mapping[str, Columns] = {
    PROXIMITY: Columns(12),
    ROBOT_JOINTS: Columns(4, unknown=(0, 1, 2, 3)),
    CLEARANCES: Columns(9),
    TOUCHES: Columns(9, unknown=(5,)),
    WRENCHES: Columns(8, unknown=(2, 3, 4, 5, 6, 7)),
}
"""The tables by name, see `Snapshot.proximity` and `watch.Watch`."""
PROXIMITY_COLUMNS = TABLES[PROXIMITY].number
"""Number of columns of `Engine.proximity`."""


class Table:
    """Rows of numbers of one step, computed on first access.

    Args:
        rows: the rows, or a function that returns them; it is called at most once.
        time_ns: time of the step.

    Attributes:
        known: the rows; None before they are computed.
        check: called with the rows after they are computed; None afterwards.
    """

    __slots__ = ("_compute", "check", "known", "time_ns")

    def __init__(self, rows: Floats | Callable[[], Floats], *, time_ns: int = 0) -> None:
        self._compute: Callable[[], Floats] | None = rows if callable(rows) else None
        self.known: Floats | None = None if callable(rows) else rows
        self.check: Callable[[Floats], None] | None = None
        self.time_ns = time_ns

    def rows(self) -> Floats:
        """Return the rows, always the same array.

        Raises:
            RunFailed: if they cannot be computed.
        """
        if self.known is None:
            assert self._compute is not None
            rows = self._compute()
            if self.check is not None:
                self.check(rows)
            self.known = rows
            self._compute = self.check = None  # release their inputs
        return self.known

    def saved_as(self) -> Floats:
        """Return the rows, which are all that a saved state needs of the table."""
        return self.rows()

    def copied(self) -> Table:
        """Return a copy with its own rows, computed now."""
        return Table(self.rows().copy(), time_ns=self.time_ns)

    def after_run(self) -> Table:
        """Return this table after the end of a run; without rows if the model that would compute them has ended."""
        try:
            self.rows()
        except RunFailed:
            return NO_PROXIMITY
        return self


def no_rows(name: str) -> Floats:
    """An empty table of this name."""
    return np.empty((0, TABLES[name].number), np.float64)


NO_PROXIMITY = Table(no_rows(PROXIMITY))


def proximity_tables(rows: Floats) -> dict[str, Table]:
    """The tables of a scene with only the proximity table."""
    return {PROXIMITY: Table(rows)}


def read_tables(selections: Sequence[Selection]) -> tuple[str, ...]:
    """Names of the tables that match any of the selections."""
    patterns = [s.attribute for s in selections if fnmatchcase(WORLD, s.entity)]
    return tuple(name for name in TABLES if any(fnmatchcase(name, pattern) for pattern in patterns))


_BLAS_THREADED_SIZE = 4096
"""Size from which BLAS distributes the work over threads."""


def all_finite(numbers: Floats) -> bool:
    """Whether no number is NaN or infinite.

    A sum is finite only if all its terms are, and is much cheaper than a test of each term; a sum of squares is
    cheapest.
    """
    if numbers.size < _BLAS_THREADED_SIZE:
        flat = numbers.ravel()
        total = flat.dot(flat)
    else:
        total = np.add.reduce(numbers, axis=None)
    return math.isfinite(total) or bool(np.isfinite(numbers).all())


def shape_problem(name: str, rows: Floats) -> str | None:
    """Describe the wrong type or shape of a table, to follow its name in a message; None if it is right."""
    columns = TABLES[name].number
    if rows.dtype == np.float64 and rows.ndim == 2 and rows.shape[1] == columns:
        return None
    return f"is {rows.dtype} of shape {rows.shape}; expected float64 of shape (n, {columns})"


def rows_problem(name: str, rows: Floats) -> str | None:
    """Describe the error in a table, to follow its name in a message; None if it is valid."""
    columns, unknown = TABLES[name]
    if rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != columns:
        return shape_problem(name, rows)
    if all_finite(rows):
        return None
    valid = np.isfinite(rows)
    for column in unknown:
        valid[:, column] |= np.isnan(rows[:, column])
    invalid_rows = rows[~valid.all(axis=1)]
    return (
        f"has a row that is not finite: {invalid_rows[0].tolist()}" if len(invalid_rows) else None
    )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The scene at `time_ns`; read only.

    Poses in `values` are in the world frame, whichever frame their owner returns them in.

    Attributes:
        layout: entities, and the position of each attribute in `values`.
        models: names of the models, by the index used in `owners`.
        time_ns: simulated time.
        values: (layout.size,) all attributes.
        owners: (slots,) index of the responsible model.
        parents: (slots,) index of the entity in whose frame the owner returns the value, -1 for the world.
        tables: the latest table of each name; computed on first access.
    """

    layout: Layout
    models: tuple[str, ...]
    time_ns: int
    values: Floats
    owners: Ints
    parents: Ints
    tables: Mapping[str, Table] = field(default_factory=dict)

    @property
    def proximity(self) -> Floats:
        """(n, 12) pairs that are near each other or touch.

        Index of the object, index of the other entity, distance [m] (negative: penetration), nearest point x y z
        [m], normal x y z from the other entity to the object, force on the object x y z [N]; all pairs of an object
        with another object, a static body or a link that are closer than the main model's proximity range.
        """
        near = self.tables.get(PROXIMITY, NO_PROXIMITY)
        return near.rows() if near.known is None else near.known

    @property
    def wrenches(self) -> Floats:
        """(n, 8) recent wrenches at the robots' wrists, by sensor, then by time.

        Time [ns], index of the link in whose frame it is (-1: the scene has no such link), force x y z [N], torque
        x y z [Nm], as the sensor's driver gives them; no rows without such sensors.
        """
        table = self.tables.get(WRENCHES)
        return no_rows(WRENCHES) if table is None else table.rows()

    @property
    def near(self) -> Table:
        """The table `proximity`; reading its rows is costly, and most steps do not need them."""
        return self.tables.get(PROXIMITY, NO_PROXIMITY)

    def get(self, entity: str, attribute: str) -> Floats:
        """The attribute's numbers, as a view.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return self.values[self.layout.range_of(entity, attribute)]

    def value(self, entity: str, attribute: str) -> Value:
        """A copy of the attribute's value; a pose is in the world frame.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return Value(self.get(entity, attribute).copy(), self.time_ns)

    def pose(self, entity: str) -> Floats:
        """Pose and twist of an entity in the world: x y z, qw qx qy qz, vx vy vz, wx wy wz."""
        return self.get(entity, "pose")

    def owner(self, entity: str, attribute: str) -> str:
        """Name of the responsible model."""
        return self.models[int(self.owners[self.layout.slot_id(entity, attribute)])]

    def parent(self, entity: str) -> str:
        """Name of the entity in whose frame the pose's owner returns it."""
        index = int(self.parents[self.layout.slot_id(entity, "pose")])
        return WORLD if index < 0 else self.layout.entities[index].name
