"""Inverse dynamics: `FeedForward` from the simulation's current state, `InverseDynamics` from the description alone.

`InverseDynamics` has a small model of its own with only the links and joints of the robots. Masses and inertias are
as described, without the servo's armature, repairs of inertias, or contacts. It leaves the simulation untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import mujoco as mj
import numpy as np
from transforms3d.quaternions import mat2quat, qmult

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.mujoco.builder import Builder
from model_nodes.main_physics.engines.mujoco.servo import DRIVEN_ARMATURE, slice_of
from model_nodes.main_physics.engines.mujoco.tables import Tables, make_tables
from model_nodes.main_physics.world.description import Base, Body, Joint, JointKind, Link, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.transforms import inertia_matrix


class FeedForward:
    """Computes the efforts of all driven joints in the current state.

    Args:
        world: the world; only its robots are used.
        data, tables: state and tables of the simulation.
    """

    def __init__(self, world: World, data: mj.MjData, tables: Tables) -> None:
        robots = tuple(_without_geometries(body) for body in world.bodies if body.robot)
        bare = replace(world, bodies=robots, hands=())
        self._model = model = Builder(bare, EngineSettings(1.0), Notes()).compile()
        self._data = own_data = mj.MjData(model)
        # MuJoCo creates a new array at each access to an attribute.
        self._current = data.qpos, data.qvel, data.qfrc_applied
        self._motion = own_data.qpos, own_data.qvel, own_data.qacc
        own_tables = make_tables(bare, model)
        indices = [tables.joints.index(name) for name in own_tables.joints]
        self._to_positions = slice_of(own_tables.joint_positions)
        self._to_velocities = slice_of(own_tables.joint_velocities)
        self._positions = slice_of(tables.joint_positions[indices])
        self._velocities = slice_of(tables.joint_velocities[indices])
        self._driven = slice_of(own_tables.joint_velocities[: len(own_tables.driven)])
        self._bases = [(own_tables.bases[name], base) for name, base in tables.bases.items()]
        self._followed = [(own_tables.bases[n], tables.bases[n]) for n in tables.followed]
        self._out = np.zeros(model.nv)

    def efforts(
        self, accelerations: Floats, of_bases: Mapping[str, Floats] | None = None
    ) -> Floats:
        """Return (n,) efforts [Nm or N] of the driven joints.

        Args:
            accelerations: (n,) commanded accelerations of the driven joints; a free base does not accelerate.
            of_bases: followed base -> (6,) acceleration of its free joint; None: caused by the current forces.
        """
        (qpos, qvel, qacc), (sim_qpos, sim_qvel, sim_forces) = (self._motion, self._current)
        qpos[self._to_positions] = sim_qpos[self._positions]
        qvel[self._to_velocities] = sim_qvel[self._velocities]
        qacc[self._driven] = accelerations
        for own_base, base in self._bases:
            q, v = own_base.position, own_base.velocity
            qpos[q : q + 7] = sim_qpos[base.position : base.position + 7]
            qvel[v : v + 6] = sim_qvel[base.velocity : base.velocity + 6]
        for own_base, base in self._followed:
            caused = sim_forces[base.velocity : base.velocity + 6] / DRIVEN_ARMATURE
            of_base = caused if of_bases is None else of_bases[base.name]
            qacc[own_base.velocity : own_base.velocity + 6] = of_base
        return self._compute()

    def weights(self) -> Floats:
        """Return (n,) efforts [Nm or N] of the driven joints at rest, at the positions of the last `efforts`."""
        _, qvel, qacc = self._motion
        qvel[:], qacc[:] = 0.0, 0.0
        return self._compute()

    def _compute(self) -> Floats:
        model, data = self._model, self._data
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_rne(model, data, 1, self._out)
        efforts: Floats = self._out[self._driven].copy()
        return efforts


def _without_geometries(body: Body) -> Body:
    """The robot without geometries."""
    links = tuple(replace(link, geometries=()) for link in body.links)
    base = body.base if body.static else Base.FOLLOWED
    return replace(body, links=links, base=base)


CREEP = 0.01
"""Speed below which dry friction is proportional to the speed, since it is undefined at rest [rad/s or m/s]."""


class InverseDynamics:
    """Computes efforts of the driven joints of all robots, in the order of `Engine.driven`."""

    def __init__(self, world: World) -> None:
        spec = mj.MjSpec()
        spec.compiler.autolimits = False
        spec.compiler.degree = False
        spec.compiler.fusestatic = False
        spec.option.gravity = world.gravity
        robots = [body for body in world.bodies if body.robot]
        links = [link for body in robots for link in _add_robot(spec, body)]
        self._model = spec.compile()
        self._data = data = mj.MjData(self._model)
        self._motion = data.qpos, data.qvel, data.qacc
        firsts = np.cumsum([1, *(len(body.links) for body in robots)]).tolist()
        self._roots = {body.name: first for body, first in zip(robots, firsts, strict=False)}
        self._describe_inertias(links)
        joints = [joint for body in robots for joint in body.driven_joints]
        self._damping = np.array([joint.damping for joint in joints])
        self._friction = np.array([joint.friction for joint in joints])
        self._has_friction = bool(self._damping.any()), bool(self._friction.any())
        moved = self._model.body_subtreemass[self._model.jnt_bodyid]
        self._without_mass = np.flatnonzero(moved <= 0.0)
        self._efforts = np.zeros(len(joints))

    def efforts(
        self,
        positions: Floats,
        velocities: Floats,
        accelerations: Floats,
        bases: Mapping[str, Floats] = MappingProxyType({}),
    ) -> Floats:
        """Return (n,) efforts [Nm or N], NaN for a joint that moves no mass; see `Engine.expected_efforts`.

        Args:
            positions, velocities, accelerations: motion of the driven joints.
            bases: robot whose base is not fixed -> (7,) pose of its root link; the base's velocity is ignored.
        """
        for name, pose in bases.items():
            root = self._roots[name]
            self._model.body_pos[root], self._model.body_quat[root] = pose[:3], pose[3:]
        efforts = self.rigid(positions, velocities, accelerations)
        is_damped, is_dry = self._has_friction
        if is_damped:
            efforts += self._damping * velocities
        if is_dry:
            efforts += self._friction * np.minimum(np.maximum(velocities / CREEP, -1.0), 1.0)
        return efforts

    def rigid(self, positions: Floats, velocities: Floats, accelerations: Floats) -> Floats:
        """Return (n,) efforts [Nm or N] without any friction, NaN for a joint that moves no mass."""
        model, data = self._model, self._data
        qpos, qvel, qacc = self._motion
        qpos[:], qvel[:], qacc[:] = positions, velocities, accelerations
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_rne(model, data, 1, self._efforts)
        efforts: Floats = self._efforts.copy()
        if len(self._without_mass):
            efforts[self._without_mass] = np.nan
        return efforts

    def clear_masses(self) -> None:
        """Set the masses and inertias of all links to zero."""
        self._model.body_mass[:], self._model.body_inertia[:] = 0.0, 0.0
        self._without_mass = np.zeros(0, np.intp)

    def put_mass(self, link: int, point: Floats) -> None:
        """Set the mass of a link to 1 kg at a point of its frame (3,) [m], without rotational inertia."""
        self._model.body_mass[link], self._model.body_ipos[link] = 1.0, point

    def _describe_inertias(self, links: list[Link]) -> None:
        """Write the inertias as described; MuJoCo would refuse to compile inertias that are not physical."""
        model = self._model
        for i, link in enumerate(links, 1):
            inertial = link.inertial
            if inertial is None:
                model.body_mass[i], model.body_inertia[i] = 0.0, 0.0
                continue
            moments, axes = np.linalg.eigh(inertia_matrix(inertial))
            if np.linalg.det(axes) < 0:
                axes = -axes
            model.body_mass[i], model.body_inertia[i] = inertial.mass, moments
            model.body_ipos[i] = inertial.pose[:3]
            model.body_iquat[i] = qmult(inertial.pose[3:], mat2quat(axes))
        model.body_sameframe[:] = mj.mjtSameFrame.mjSAMEFRAME_NONE.value
        model.body_subtreemass[:] = _subtree_masses(model)


def _add_robot(spec: Any, body: Body) -> list[Link]:
    """Add the links of a robot in the order of their ids, and its driven joints; returns the links."""
    joints = {joint.child: joint for joint in body.joints}
    mj_bodies: dict[str, Any] = {}
    for link in body.links:
        joint = joints.get(link.name)
        parent = spec.worldbody if joint is None else mj_bodies[joint.parent]
        pose = body.pose if joint is None else link.pose
        mj_body = parent.add_body(pos=pose[:3], quat=pose[3:])
        mj_body.explicitinertial, mj_body.mass, mj_body.inertia = True, 1.0, [1.0, 1.0, 1.0]
        if joint is not None and joint.kind is not JointKind.FIXED and joint.spring is None:
            _add_joint(mj_body, joint)
        mj_bodies[link.name] = mj_body
    return list(body.links)


def _add_joint(link: Any, joint: Joint) -> None:
    is_hinge = joint.kind is JointKind.HINGE
    link.add_joint(
        type=mj.mjtJoint.mjJNT_HINGE if is_hinge else mj.mjtJoint.mjJNT_SLIDE,
        pos=joint.anchor,
        axis=joint.axis,
    )


def _subtree_masses(model: mj.MjModel) -> Floats:
    masses: Floats = model.body_mass.copy()
    for body in range(model.nbody - 1, 0, -1):
        masses[model.body_parentid[body]] += masses[body]
    return masses
