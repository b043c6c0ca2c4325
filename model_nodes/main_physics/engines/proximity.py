"""Selects the objects for which an engine reports proximity."""

from __future__ import annotations

from collections.abc import Collection

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.world.notes import Notes

EVERYTHING_NEAR = 32
"""With up to this many objects, proximity is reported for all of them unless the settings name some."""


def proximity_objects(settings: EngineSettings, free: Collection[str]) -> tuple[str, ...]:
    """Return the objects for which proximity is reported.

    Args:
        settings: of the engine.
        free: names of all free objects.

    Raises:
        BadInput: if the settings name an object that is not free.
    """
    named = settings.proximity_objects
    if named is None:
        return tuple(free) if len(free) <= EVERYTHING_NEAR else ()
    for name in named:
        if name not in free:
            raise BadInput(
                "is not a free object",
                where="proximity_objects",
                found=name,
                expected=", ".join(free),
            )
    return named


def note_too_many(settings: EngineSettings, count: int, notes: Notes) -> None:
    """Note that proximity is reported for none of `count` objects, if that is so."""
    if settings.proximity_objects is None and count > EVERYTHING_NEAR:
        notes.add(
            f"proximity is reported for none of the {count} objects, since they are more than"
            f" {EVERYTHING_NEAR}; name some in proximity_objects"
        )
