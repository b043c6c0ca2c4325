"""What goes along when a robot's base is put somewhere else: what the robot holds or carries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import mujoco as mj

from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables


@dataclass(slots=True)
class _Touches:
    """What free bodies touch, by their names."""

    robot: set[str] = field(default_factory=set)
    resting: set[str] = field(default_factory=set)
    others: dict[str, set[str]] = field(default_factory=dict)


def carried_bodies(
    model: mj.MjModel,
    data: mj.MjData,
    tables: Tables,
    robot: FreeBody,
    fixed_to: Mapping[str, int],
) -> list[FreeBody]:
    """Return the free bodies that move with a robot, by the contacts of now.

    Those that are fixed to it do, and those that touch it, directly or through others that do. What touches anything
    else, such as the floor, does not: it stands there, however the robot pushes it.

    Args:
        model, data, tables: the world.
        robot: its base.
        fixed_to: free body -> body to which it is attached, or in whose frame another model moves it; 0 for the world.
    """
    fixed = {n for n, other in fixed_to.items() if model.body_rootid[other] == robot.body}
    touches = _touches(model, data, tables, robot, fixed)
    standing = touches.resting | {name for name, other in fixed_to.items() if not other}
    reached, waiting = set(fixed), [*fixed, *(touches.robot - standing)]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        waiting += sorted(touches.others.get(name, set()) - standing - reached)
    return [tables.free[name] for name in tables.free if name in reached]


def _touches(
    model: mj.MjModel, data: mj.MjData, tables: Tables, robot: FreeBody, fixed: set[str]
) -> _Touches:
    object_of = {body: free.name for free in tables.free.values() for body in free.members}
    touches = _Touches()
    for pair in _pairs(model, data):
        for body, other in (pair, pair[::-1]):
            name, partner = object_of.get(body), object_of.get(other)
            if name is None:
                continue
            if partner in fixed or model.body_rootid[other] == robot.body:
                touches.robot.add(name)
            elif partner is None:
                touches.resting.add(name)
            else:
                touches.others.setdefault(name, set()).add(partner)
    return touches


def _pairs(model: mj.MjModel, data: mj.MjData) -> list[list[int]]:
    """The pairs of bodies in contact."""
    if not data.ncon:
        return []
    solved = data.contact.geom[data.contact.efc_address >= 0]
    pairs: list[list[int]] = model.geom_bodyid[solved].tolist()
    return pairs
