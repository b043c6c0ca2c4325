"""How far the points of bodies move at most when joints do."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.relative_motion import radii

_UNLIMITED = 1e3
"""How far a slide without limits may be from zero [m]."""


def levers(
    model: mj.MjModel, columns: Mapping[int, int], count: int, slides: Mapping[str, float]
) -> Floats:
    """Return (nbody, count) by how much each point of a body moves at most, for each unit of the positions [m].

    Args:
        model: the robots.
        columns: address in ``qpos`` -> column.
        count: of columns.
        slides: joint -> how far it carries its body from where it is at zero [m], where there is a limit.
    """
    found = np.zeros((model.nbody, count))
    sizes = radii(model)
    for body in range(1, model.nbody):
        away, moving = float(sizes[body]), body
        while moving:
            first = int(model.body_jntadr[moving])
            joints = range(first, first + int(model.body_jntnum[moving]))
            away += sum(_slide(model, joint, slides) for joint in joints)
            for joint in joints:
                for column, lever in _of_joint(model, joint, columns, away):
                    found[body, column] = lever
            away += float(np.linalg.norm(model.body_pos[moving]))
            moving = int(model.body_parentid[moving])
    return found


def _of_joint(
    model: mj.MjModel, joint: int, columns: Mapping[int, int], away: float
) -> list[tuple[int, float]]:
    """(column, lever) of each position of a joint of a body, for points so far away from that body's origin [m]."""
    address, kind = int(model.jnt_qposadr[joint]), int(model.jnt_type[joint])
    if kind == mj.mjtJoint.mjJNT_FREE.value:
        # A rotation's angle is at most pi times the change of its quaternion.
        return [(columns[address + i], 1.0 if i < 3 else pi * away) for i in range(7)]
    if address not in columns:
        return []
    slides = kind == mj.mjtJoint.mjJNT_SLIDE.value
    lever = 1.0 if slides else away + float(np.linalg.norm(model.jnt_pos[joint]))
    return [(columns[address], lever)]


def _slide(model: mj.MjModel, joint: int, slides: Mapping[str, float]) -> float:
    if int(model.jnt_type[joint]) != mj.mjtJoint.mjJNT_SLIDE.value:
        return 0.0
    return slides.get(model.joint(joint).name, _UNLIMITED)
