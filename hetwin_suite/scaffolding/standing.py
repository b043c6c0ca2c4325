"""Where a robot must stand so that nothing of it is below the floor while it moves as recorded."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.scaffolding.reach import link_frames, surface_points
from model_nodes.main_physics.world.description import Body, JointKind

CLEARANCE = 0.01
"""What moves stays so far above the floor [m]; what does not may stand on it."""


def standing_height(body: Body, positions: Mapping[str, Floats]) -> float:
    """Return the height of the root link [m] at which the lowest point of the robot is on the floor.

    It is 0 if nothing is lower than the root link.

    Args:
        body: the robot.
        positions: joint -> (n,) positions that it takes [rad or m].
    """
    moving = _moving_links(body)
    frames = link_frames(body, positions)
    height = 0.0
    for link in body.links:
        points = surface_points(link)
        if len(points) == 0:
            continue
        upwards = frames[link.name][:, 2]  # (n, 4): the height of a point
        lowest = float((points @ upwards[:, :3].T + upwards[:, 3]).min())
        margin = CLEARANCE if link.name in moving else 0.0
        if lowest < -1e-6:
            height = max(height, margin - lowest)
    return math.ceil(height * 1000.0) / 1000.0


def _moving_links(body: Body) -> set[str]:
    moving: set[str] = set()
    for joint in body.joints:  # parents come before their children
        if joint.kind is not JointKind.FIXED or joint.parent in moving:
            moving.add(joint.child)
    return moving
