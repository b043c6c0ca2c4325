"""Moves what the robot believes about things."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np


def moved_aside(
    scene: dict[str, Any], things: Collection[str], distance: float, random: np.random.Generator
) -> dict[str, Any]:
    """Return the scene with things moved together, horizontally, in a drawn direction.

    Args:
        scene: entity -> {`pose`: [x y z, qw qx qy qz] in the world}.
        things: those that are moved; such as have no believed pose stay.
        distance: in m.
        random: draws the direction.
    """
    direction = random.uniform(0.0, 2 * np.pi)
    step = distance * np.array([np.cos(direction), np.sin(direction)])
    changed = dict(scene)
    for name in things:
        pose = scene.get(name, {}).get("pose")
        if pose is not None:
            place = [float(pose[0] + step[0]), float(pose[1] + step[1]), *pose[2:]]
            changed[name] = {**scene[name], "pose": place}
    return changed
