"""The objects that other models may take, so that an engine can prepare for it."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

from model_nodes.main_physics.settings import Settings
from model_nodes.main_physics.world.description import World

_GRASPABLE = "graspable"
_FEW = 8
"""An engine prepares for what may happen to any object only if there are so few of them."""


def objects_handed_over(settings: Settings, world: World) -> tuple[tuple[str, str], ...]:
    """Return (object, attribute) of the rigid objects meant by `handed_over`, once each.

    A pattern that means many objects means those with the tag `graspable` only, if there are any.
    """
    free = [b.name for b in world.bodies if not (b.static or b.robot or b.moving_joints)]
    found = (
        (name, attribute)
        for pattern, attribute in settings.handed_over
        for name in _meant(pattern, free, settings)
    )
    return tuple(dict.fromkeys(found))


def _meant(pattern: str, free: list[str], settings: Settings) -> Iterator[str]:
    names = [name for name in free if fnmatchcase(name, pattern)]
    graspable = [name for name in names if _GRASPABLE in settings.tags.get(name, ())]
    if len(names) > 1 and graspable:
        names = graspable
    if len(names) <= _FEW:
        yield from names
