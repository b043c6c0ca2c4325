"""The efforts that a motion of the robots needs, from their descriptions alone.

A second, small model holds nothing but the links and joints of the robots, with masses and inertias as described: no
armature as of the servo, no repairs, no contacts. Computing with it leaves the simulation untouched.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import mujoco as mj
import numpy as np
from transforms3d.quaternions import mat2quat, qmult

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.description import Body, Joint, JointKind, Link, World
from model_nodes.main_physics.world.transforms import inertia_matrix

CREEP = 0.01
"""Below this speed, dry friction is in proportion to the speed: a resting joint may bear any part of it [per s]."""


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
        self._rubs = bool(self._damping.any()), bool(self._friction.any())
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
            positions, velocities, accelerations: of the driven joints.
            bases: (7,) pose of the root link of each robot whose base is not fixed; how it moves does not count.
        """
        model, data = self._model, self._data
        for name, pose in bases.items():
            root = self._roots[name]
            model.body_pos[root], model.body_quat[root] = pose[:3], pose[3:]
        at, speed, change = self._motion
        at[:], speed[:], change[:] = positions, velocities, accelerations
        mj.mj_kinematics(model, data)
        mj.mj_comPos(model, data)
        mj.mj_comVel(model, data)
        mj.mj_rne(model, data, 1, self._efforts)
        efforts: Floats = self._efforts.copy()
        is_damped, is_dry = self._rubs
        if is_damped:
            efforts += self._damping * velocities
        if is_dry:
            efforts += self._friction * np.minimum(np.maximum(velocities / CREEP, -1.0), 1.0)
        if len(self._without_mass):
            efforts[self._without_mass] = np.nan
        return efforts

    def _describe_inertias(self, links: list[Link]) -> None:
        """Write the inertias as described; MuJoCo would refuse to compile those that are not physical."""
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
    made: dict[str, Any] = {}
    for link in body.links:
        joint = joints.get(link.name)
        parent = spec.worldbody if joint is None else made[joint.parent]
        pose = body.pose if joint is None else link.pose
        added = parent.add_body(pos=pose[:3], quat=pose[3:])
        added.explicitinertial, added.mass, added.inertia = True, 1.0, [1.0, 1.0, 1.0]
        if joint is not None and joint.kind is not JointKind.FIXED and joint.spring is None:
            _add_joint(added, joint)
        made[link.name] = added
    return list(body.links)


def _add_joint(link: Any, joint: Joint) -> None:
    hinge = joint.kind is JointKind.HINGE
    link.add_joint(
        type=mj.mjtJoint.mjJNT_HINGE if hinge else mj.mjtJoint.mjJNT_SLIDE,
        pos=joint.anchor,
        axis=joint.axis,
    )


def _subtree_masses(model: mj.MjModel) -> Floats:
    masses: Floats = model.body_mass.copy()
    for body in range(model.nbody - 1, 0, -1):
        masses[model.body_parentid[body]] += masses[body]
    return masses
