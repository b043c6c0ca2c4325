"""The robots' joints and bases: commands, drives, and bodies that move along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Unsupported
from model_nodes.main_physics.engines.mujoco.simulation import Simulation
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables
from model_nodes.main_physics.world.description import JointDrive


@dataclass(slots=True)
class _Touches:
    """Free bodies that touch the robot, touch static bodies, or touch other free bodies, by name."""

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
    """Return the free bodies that move with a robot, according to the current contacts.

    Bodies that are fixed to the robot do, and bodies that touch it, directly or through others that move with it. A
    body that also touches anything else, such as the floor, does not, even if the robot pushes it.

    Args:
        model, data, tables: the world.
        robot: base of the robot.
        fixed_to: free body -> body that it is attached to, or in whose frame another model moves it; 0: the world.
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


class Robots:
    """Controls the joints and bases of a simulation's robots."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set the state of all joints exactly."""
        one, tables = self._simulation, self._simulation.tables
        one.qpos[tables.joint_positions] = positions
        one.qvel[tables.joint_velocities] = velocities
        one.servo.place()
        one.motors.place()
        one.dirty = True

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the pose and twist of a robot's root link, and move its load along; see `carried_bodies`."""
        one, tables = self._simulation, self._simulation.tables
        base = tables.bases.get(robot)
        if base is None:
            raise Unsupported(f"the base of {robot} is fixed; it cannot be placed")
        one.refresh()
        fixed_to = {**one.attachments.bodies, **one.kinematic.parents}
        carried = []
        if one.periods:  # before the first step the scene defines every pose
            carried = carried_bodies(one.model, one.data, tables, base, fixed_to)
        before = np.array(one.reader.one(base.body))
        places = [relative_to(before, np.array(one.reader.one(free.body))) for free in carried]
        one.reader.place(base, state.tolist())
        for free, place in zip(carried, places, strict=True):
            one.reader.place(free, compose(state, place).tolist())
        one.bases.place()
        one.dirty = True

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of all drives except those with the mode ``follow``; see `motors`."""
        out[:] = np.nan
        self._simulation.motors.read_efforts(out)

    def soften(self, joints: Sequence[str], stiffness: float) -> None:
        """Remove the servo's armature from these joints; see `servo`."""
        one = self._simulation
        one.soft = tuple(one.tables.driven.index(name) for name in joints), stiffness
        one.servo.soften(*one.soft)
        one.servo.add_armature(one.model, one.data, one.motors.add_armature)
        one.dirty = True

    def limit(self, drives: Mapping[str, JointDrive]) -> None:
        """Replace the drives of these joints; see `motors` and `collisions`."""
        one, model = self._simulation, self._simulation.model
        one.refresh()
        touching = one.builder.drive(drives)
        before = one.tables
        own = zip(before.driven, before.drives, strict=True)
        tables = replace(before, drives=tuple(drives.get(name, drive) for name, drive in own))
        mean = model.stat.meaninertia
        scratch = mj.MjData(model)  # mj_setConst sets all joints of its data to 0
        model.dof_armature[tables.joint_velocities[: len(tables.driven)]] = 0.0
        mj.mj_setConst(model, scratch)
        model.stat.meaninertia = mean
        one.drive(scratch, tables)
        one.servo.place()
        one.motors.place()
        one.collisions.let_touch(map(tables.body_of, touching))
        one.dirty = True
