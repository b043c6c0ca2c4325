"""Says which of the user's elements Gazebo gets."""

from __future__ import annotations

from collections import Counter

from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes

_OF_PARTS = ("visual", "collision")


def note_carried(world: World, notes: Notes) -> None:
    """Add one note with the numbers of elements that the description has no words for, and Gazebo gets."""
    counts = Counter(extra.tag for extra in world.all_extras() if extra.tag not in _OF_PARTS)
    if counts:
        listed = ", ".join(f"{count} <{tag}>" for tag, count in counts.items())
        notes.add(f"world {world.name}: carried over to Gazebo: {listed}")
