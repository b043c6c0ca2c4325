"""Shared by engines: copying of state, objects with proximity, recorded touches, and a gain."""

from __future__ import annotations

from collections.abc import Collection
from math import nan
from typing import Any, ClassVar, TypeAlias

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.snapshot import TABLES, TOUCHES, no_rows
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.world.notes import Notes


class CopiedPart:
    """A part whose state is saved and restored as a copy, any number of times.

    Attributes:
        saved_fields: names of the attributes that change during a run: arrays and collections, which are copied, parts
            that are `CopiedPart` themselves, and values that are replaced but never modified.
    """

    saved_fields: ClassVar[tuple[str, ...]]

    def save(self) -> dict[str, Any]:
        """Return the state for `restore`."""
        values = {name: getattr(self, name) for name in self.saved_fields}
        return {n: v.save() if isinstance(v, CopiedPart) else copied(v) for n, v in values.items()}

    def restore(self, state: Any) -> None:
        """Restore a saved state."""
        for name in self.saved_fields:
            part = getattr(self, name)
            if isinstance(part, CopiedPart):
                part.restore(state[name])
            else:
                setattr(self, name, copied(state[name]))


def copied(value: Any) -> Any:
    """Return a copy of a value, including nested arrays and collections."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return set(value) if isinstance(value, set) else value


CARRYING_GAIN = 50.0
"""Rate at which a carried object's position error decays [1/s]: slow enough not to drop its load."""
MAX_PROXIMITY_OBJECTS = 32
"""Maximum number of objects for which proximity is reported for all, unless the settings name some."""


def proximity_objects(settings: EngineSettings, free: Collection[str]) -> tuple[str, ...]:
    """Return the names of the objects for which proximity is reported.

    Args:
        settings: settings of the engine.
        free: names of all free objects.

    Raises:
        BadInput: if the settings name an object that is not free.
    """
    names = settings.proximity_objects
    if names is None:
        return tuple(free) if len(free) <= MAX_PROXIMITY_OBJECTS else ()
    for name in names:
        if name not in free:
            raise BadInput(
                "this is not a free object",
                where="proximity_objects",
                found=name,
                expected=", ".join(free),
            )
    return names


def note_too_many(settings: EngineSettings, count: int, notes: Notes) -> None:
    """Add a note if proximity is reported for none of the world's `count` objects."""
    if settings.proximity_objects is None and count > MAX_PROXIMITY_OBJECTS:
        notes.add(
            f"proximity is reported for none of the {count} objects, since they are more than"
            f" {MAX_PROXIMITY_OBJECTS}; name some in proximity_objects"
        )


Pair: TypeAlias = tuple[int, int]
"""Indices of the frames of a link and of the touched body."""


class Touches(CopiedPart):
    """One row per pair, as `Watch.touches`, with indices of frames instead of entities."""

    saved_fields = ("_rows",)

    def __init__(self) -> None:
        self._rows: dict[Pair, list[float]] = {}

    def record(self, pair: Pair, time_ns: int, depth: float) -> bool:
        """Record a touch and its depth [m]; returns whether it is the pair's deepest; if so, call `set_deepest`."""
        row = self._rows.get(pair)
        if row is None:
            self._rows[pair] = [*pair, time_ns, time_ns, depth, nan, nan, nan, nan]
            return True
        row[3] = time_ns
        if depth <= row[4]:
            return False
        row[4] = depth
        return True

    def set_deepest(self, pair: Pair, force: float, x: float, y: float, z: float) -> None:
        """Set the normal force [N] (NaN: unknown) and the point [m] at a pair's greatest depth."""
        self._rows[pair][5:] = (force, x, y, z)

    def take(self) -> Floats:
        """Return (k, 9) the rows, and discard them."""
        if not self._rows:
            return no_rows(TOUCHES)
        rows = np.array(list(self._rows.values())).reshape(-1, TABLES[TOUCHES].number)
        self._rows.clear()
        return rows
