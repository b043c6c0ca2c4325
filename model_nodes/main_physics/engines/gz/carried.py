"""Says which of the user's elements Gazebo gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes

_OF_PARTS = ("visual", "collision")
_ACTIVE = ("sensor", "plugin")


def note_carried(world: World, notes: Notes) -> None:
    """Add one note with the numbers of elements that the description has no words for, and Gazebo gets."""
    counts = Counter(extra.tag for extra in world.all_extras() if extra.tag not in _OF_PARTS)
    if counts:
        listed = ", ".join(f"{count} <{tag}>" for tag, count in counts.items())
        notes.add(f"world {world.name}: carried over to Gazebo: {listed}")
    for body in world.bodies:
        if any(g.touches_over for link in body.links for g in link.geometries):
            notes.add(
                f"robot {body.name}: tyre_width is MuJoCo's; here wheels touch as they are shaped"
            )


def note_left_behind(world: World, handed_over: Collection[str], notes: Notes) -> None:
    """Add a note about each object that other models may move, and whose sensors and plugins do not follow it then."""
    for body in world.bodies:
        count = Counter(extra.tag for extra in body.all_extras() if extra.tag in _ACTIVE)
        if count and body.name in handed_over:
            listed = ", ".join(f"{number} <{tag}>" for tag, number in count.items())
            notes.add(
                f"model {body.name}: {listed} do not follow it while another model moves it: they are"
                " with the body that physics moves, which waits outside the scene"
            )
