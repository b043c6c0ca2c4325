"""Moves what the robot believes about things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput


def believed_pose(scene: dict[str, Any], thing: str) -> list[float]:
    """Return x y z, qw qx qy qz of a thing in the world.

    Raises:
        BadInput: if the scene does not say where it is.
    """
    pose = scene.get(thing, {}).get("pose")
    if pose is None:
        expected = f'"{thing}": {{"pose": [x, y, z, qw, qx, qy, qz]}} in scene.json'
        raise BadInput(
            "the robot has no belief to be mistaken in", found=list(scene), expected=expected
        )
    return list(pose)


def moved_aside(
    scene: dict[str, Any],
    thing: str,
    with_it: Sequence[str],
    distance: float,
    random: np.random.Generator,
) -> dict[str, Any]:
    """Return the scene with a thing moved horizontally, in a drawn direction.

    Args:
        scene: entity -> {`pose`: [x y z, qw qx qy qz] in the world}.
        thing: that is moved.
        with_it: things that are moved as far, if they have a believed pose.
        distance: in m.
        random: draws the direction.

    Raises:
        BadInput: if the scene does not say where the thing is.
    """
    direction = random.uniform(0.0, 2 * np.pi)
    step = distance * np.array([np.cos(direction), np.sin(direction)])
    changed = dict(scene)
    for name in (thing, *(other for other in with_it if "pose" in scene.get(other, {}))):
        pose = believed_pose(scene, name)
        place = [float(pose[0] + step[0]), float(pose[1] + step[1]), *pose[2:]]
        changed[name] = {**scene[name], "pose": place}
    return changed
