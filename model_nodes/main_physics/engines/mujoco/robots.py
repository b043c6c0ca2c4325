"""The robots' joints and bases: what is commanded, and how they are driven."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import Unsupported
from model_nodes.main_physics.engines.mujoco.carried_bodies import carried_bodies
from model_nodes.main_physics.engines.mujoco.simulation import Simulation
from model_nodes.main_physics.world.drives import JointDrive


class Robots:
    """Moves the robots of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def place_joints(self, positions: Floats, velocities: Floats) -> None:
        """Set all joints exactly."""
        one, tables = self._simulation, self._simulation.tables
        one.qpos[tables.joint_positions] = positions
        one.qvel[tables.joint_velocities] = velocities
        one.servo.place()
        one.motors.place()
        one.dirty = True

    def place_base(self, robot: str, state: Floats) -> None:
        """Set the pose and the twist of a robot's root link, and take along what it carries; see `carried_bodies`."""
        one, tables = self._simulation, self._simulation.tables
        base = tables.bases.get(robot)
        if base is None:
            raise Unsupported(f"the base of {robot} is fixed; it cannot be placed")
        one.refresh()
        fixed_to = {**one.attachments.bodies, **one.kinematic.parents}
        carried = []
        if one.periods:  # before the first step the scene says where everything is
            carried = carried_bodies(one.model, one.data, tables, base, fixed_to)
        before = one.reader.one(base.body)
        places = [relative_to(before, one.reader.one(free.body)) for free in carried]
        one.reader.place(base, state)
        for free, place in zip(carried, places, strict=True):
            one.reader.place(free, compose(state, place))
        one.bases.place()
        one.dirty = True

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the drives that do not follow; see `motors`."""
        out[:] = np.nan
        self._simulation.motors.read_efforts(out)

    def soften(self, joints: Sequence[str], stiffness: float) -> None:
        """Take the servo's armature from these joints; see `servo`."""
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
        scratch = mj.MjData(model)  # mj_setConst leaves the robot where all joints are 0
        model.dof_armature[tables.joint_velocities[: len(tables.driven)]] = 0.0
        mj.mj_setConst(model, scratch)
        model.stat.meaninertia = mean
        one.drive(scratch, tables)
        one.servo.place()
        one.motors.place()
        one.collisions.let_touch(map(tables.body_of, touching))
        one.dirty = True
