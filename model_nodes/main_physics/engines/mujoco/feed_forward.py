"""The efforts that a robot needs to move as commanded, with the inertias that MuJoCo simulates.

A second, small model holds nothing but the robots' links and joints, without forms and armatures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.servo import DRIVEN_ARMATURE, slice_of
from model_nodes.main_physics.engines.mujoco.tables import Tables, make_tables
from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.drives import Base
from model_nodes.main_physics.world.notes import Notes


class FeedForward:
    """Computes the efforts of all driven joints in the state of now.

    Args:
        world: its robots count.
        data, tables: the simulation.
    """

    def __init__(self, world: World, data: mj.MjData, tables: Tables) -> None:
        robots = tuple(_bare(body) for body in world.bodies if body.robot)
        bare = replace(world, bodies=robots, hands=())
        self._model = model = Builder(bare, EngineSettings(1.0), Notes()).compile()
        self._data = own_data = mj.MjData(model)
        # MuJoCo makes an array of each name that is asked for.
        self._now = data.qpos, data.qvel, data.qfrc_applied
        self._motion = own_data.qpos, own_data.qvel, own_data.qacc
        own = make_tables(bare, model)
        places = [tables.joints.index(name) for name in own.joints]
        self._to_positions = slice_of(own.joint_positions)
        self._to_velocities = slice_of(own.joint_velocities)
        self._positions = slice_of(tables.joint_positions[places])
        self._velocities = slice_of(tables.joint_velocities[places])
        self._driven = slice_of(own.joint_velocities[: len(own.driven)])
        self._bases = [(own.bases[name], base) for name, base in tables.bases.items()]
        self._followed = [(own.bases[n], tables.bases[n]) for n in tables.followed]
        self._out = np.zeros(model.nv)

    def efforts(
        self, accelerations: Floats, of_bases: Mapping[str, Floats] | None = None
    ) -> Floats:
        """Return (n,) efforts [Nm or N] of the driven joints.

        Args:
            accelerations: (n,) commanded; a free base does not accelerate.
            of_bases: (6,) of each base that follows, in the coordinates of its free joint; None: as it is pushed now.
        """
        (at, speed, change), (at_now, speed_now, forces_now) = self._motion, self._now
        at[self._to_positions] = at_now[self._positions]
        speed[self._to_velocities] = speed_now[self._velocities]
        change[self._driven] = accelerations
        for own, base in self._bases:
            q, v = own.position, own.velocity
            at[q : q + 7] = at_now[base.position : base.position + 7]
            speed[v : v + 6] = speed_now[base.velocity : base.velocity + 6]
        for own, base in self._followed:
            pushed = forces_now[base.velocity : base.velocity + 6] / DRIVEN_ARMATURE
            of_base = pushed if of_bases is None else of_bases[base.name]
            change[own.velocity : own.velocity + 6] = of_base
        return self._computed()

    def weights(self) -> Floats:
        """Return (n,) efforts [Nm or N] of the driven joints in the last state of `efforts`, at rest."""
        _, speed, change = self._motion
        speed[:], change[:] = 0.0, 0.0
        return self._computed()

    def _computed(self) -> Floats:
        model, data = self._model, self._data
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_rne(model, data, 1, self._out)
        efforts: Floats = self._out[self._driven].copy()
        return efforts


def _bare(body: Body) -> Body:
    """A robot without forms."""
    links = tuple(replace(link, geometries=()) for link in body.links)
    base = body.base if body.static else Base.FOLLOWED
    return replace(body, links=links, base=base)
