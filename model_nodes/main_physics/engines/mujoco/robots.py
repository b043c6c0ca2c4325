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
    supported = touches.resting | {name for name, other in fixed_to.items() if not other}
    carried, queue = set(fixed), [*fixed, *(touches.robot - supported)]
    while queue:
        name = queue.pop()
        carried.add(name)
        queue += sorted(touches.others.get(name, set()) - supported - carried)
    return [tables.free[name] for name in tables.free if name in carried]


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
        sim, tables = self._simulation, self._simulation.tables
        sim.qpos[tables.joint_positions] = positions
        sim.qvel[tables.joint_velocities] = velocities
        sim.servo.place()
        sim.motors.place()
        sim.dirty = True

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the pose and twist of a robot's root link, and move its load along; see `carried_bodies`."""
        sim, tables = self._simulation, self._simulation.tables
        base = tables.bases.get(robot)
        if base is None:
            raise Unsupported(f"the base of {robot} is fixed; it cannot be placed")
        sim.refresh()
        fixed_to = {**sim.attachments.bodies, **sim.kinematic.parents}
        carried = []
        if sim.periods:  # before the first step the scene defines every pose
            carried = carried_bodies(sim.model, sim.data, tables, base, fixed_to)
        current = np.array(sim.reader.state(base.body))
        offsets = [relative_to(current, np.array(sim.reader.state(free.body))) for free in carried]
        sim.reader.place(base, state.tolist())
        for free, offset in zip(carried, offsets, strict=True):
            sim.reader.place(free, compose(state, offset).tolist())
        sim.bases.place()
        sim.dirty = True

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of all drives except those with the mode ``follow``; see `motors`."""
        out[:] = np.nan
        self._simulation.motors.read_efforts(out)

    def soften(self, joints: Sequence[str], stiffness: float) -> None:
        """Remove the servo's armature from these joints; see `servo`."""
        sim = self._simulation
        sim.soft = tuple(sim.tables.driven.index(name) for name in joints), stiffness
        sim.servo.soften(*sim.soft)
        sim.servo.add_armature(sim.model, sim.data, sim.motors.add_armature)
        sim.dirty = True

    def limit(self, drives: Mapping[str, JointDrive]) -> None:
        """Replace the drives of these joints; see `motors` and `collisions`."""
        sim, model = self._simulation, self._simulation.model
        sim.refresh()
        moved_links = sim.builder.drive(drives)
        current = sim.tables
        pairs = zip(current.driven, current.drives, strict=True)
        tables = replace(current, drives=tuple(drives.get(name, drive) for name, drive in pairs))
        mean = model.stat.meaninertia
        scratch = mj.MjData(model)  # mj_setConst sets all joints of its data to 0
        model.dof_armature[tables.joint_velocities[: len(tables.driven)]] = 0.0
        mj.mj_setConst(model, scratch)
        model.stat.meaninertia = mean
        sim.drive(scratch, tables)
        sim.servo.place()
        sim.motors.place()
        sim.collisions.let_touch(map(tables.body_of, moved_links))
        sim.dirty = True
