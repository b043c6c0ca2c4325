"""Rigid parts of bodies as they are loaded into Gazebo, and the ball joints between them.

Links with fixed joints between them are merged into one part, so that DART need not solve for these joints. An object
attached to a free body becomes part of it as well, with its geometries and its inertia.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import mujoco as mj
import numpy as np

from hetwin_gazebo.options import Physics
from hetwin_suite.engine import (
    IDENTITY,
    Body,
    CopiedPart,
    Extra,
    Geometry,
    Inertial,
    JointKind,
    Link,
    Pose,
    World,
    compose_poses,
    frame_name,
    joined_inertials,
    joint_name,
    moved_inertial,
    rotation_by,
    transformed_extras,
)
from hetwin_suite.model import BadInput, Floats

MIN_MASS, MIN_MOMENT = 1e-4, 1e-7
MIN_INERTIAL = Inertial(MIN_MASS, IDENTITY, (MIN_MOMENT,) * 3 + (0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Lump:
    """Links that are fixed to each other; all poses are in the frame of the first link.

    Attributes:
        geometries: (name of the frame, geometry) of all collisions.
        extras: elements of the links for Gazebo.
        visuals: displayed geometries besides the extras: a link's visuals, or its collisions if it has none.
    """

    root: str
    links: dict[str, Pose] = field(default_factory=dict)
    geometries: list[tuple[str, Geometry]] = field(default_factory=list)
    visuals: list[Geometry] = field(default_factory=list)
    inertials: list[Inertial] = field(default_factory=list)
    extras: list[Extra] = field(default_factory=list)

    @property
    def collisions(self) -> dict[str, str]:
        """Name of each collision -> its frame; names are those of the file if unique."""
        names: dict[str, str] = {}
        for i, (frame, geometry) in enumerate(self.geometries):
            name = geometry.name
            names[f"geometry_{i}" if not name or name in names else name] = frame
        return names

    @property
    def total_inertial(self) -> Inertial:
        """Total mass and inertia; without any mass, the minimum with which Gazebo's engines can compute."""
        return joined_inertials(self.inertials) if self.inertials else MIN_INERTIAL

    def merge(self, other: Lump, pose: Pose) -> None:
        """Merge another part into this one; `pose` is the pose of the other in the frame of this one."""
        self.links.update({link: compose_poses(pose, at) for link, at in other.links.items()})
        self.add_load(other, pose)
        self.visuals.extend(_transformed(geometry, pose) for geometry in other.visuals)
        self.extras.extend(transformed_extras(tuple(other.extras), pose))

    def add_load(self, other: Lump, pose: Pose) -> None:
        """Add geometries and inertias of a part of another body; `pose` is its pose in the frame of this part.

        Its visuals are displayed by a separate model.
        """
        self.geometries.extend(
            (frame, _transformed(geometry, pose)) for frame, geometry in other.geometries
        )
        self.inertials.extend(moved_inertial(pose, inertial) for inertial in other.inertials)


@dataclass(frozen=True, slots=True)
class Load:
    """An object that is rigidly attached to a free body.

    Attributes:
        to: name of the frame to which it is attached.
        pose: pose of the object in that frame.
    """

    to: str
    pose: Pose


Parts = dict[str, dict[str, Lump]]
"""Body -> first link of a lump -> the lump, in the order of the links."""


def lumps(
    body: Body, inertial_of: Callable[[str], Inertial], collisionless: Collection[str] = ()
) -> dict[str, Lump]:
    """Return first link -> lump of a body.

    Args:
        body: body of the world.
        inertial_of: returns mass and inertia of a frame.
        collisionless: frames without collisions.
    """
    joints = {joint.child: joint for joint in body.joints}
    found: dict[str, Lump] = {}
    lump_of: dict[str, Lump] = {}
    for link in body.links:
        joint = joints.get(link.name)
        if joint is None or joint.kind is not JointKind.FIXED or joint.apart:
            lump, pose = Lump(link.name), IDENTITY
            found[link.name] = lump
        else:
            lump = lump_of[joint.parent]
            pose = compose_poses(lump.links[joint.parent], link.pose)
        lump_of[link.name] = lump
        lump.links[link.name] = pose
        lump.extras.extend(transformed_extras(link.extras, pose))
        frame = frame_name(body, link.name)
        if frame not in collisionless:
            lump.geometries.extend(
                (frame, _transformed(g, pose)) for g in link.geometries if g.collides
            )
        lump.visuals.extend(_transformed(g, pose) for g in _displayed(link))
        inertial = inertial_of(frame)
        if inertial.mass > 0:
            lump.inertials.append(moved_inertial(pose, inertial))
    return found


def parts_of(
    world: World,
    inertial_of: Callable[[str], Inertial],
    loads: Mapping[str, Load],
    collisionless: Collection[str],
) -> Parts:
    """Return the parts of all bodies.

    Args:
        world: the world to load.
        inertial_of: returns mass and inertia of a frame.
        loads: object -> the frame to which it is attached.
        collisionless: frames without collisions.
    """
    parts = {body.name: lumps(body, inertial_of, collisionless) for body in world.bodies}
    bodies = {body.name: body for body in world.bodies}
    lump_of_frame = {
        frame_name(body, link): (lump, pose)
        for body in world.bodies
        for lump in parts[body.name].values()
        for link, pose in lump.links.items()
    }
    for name, load in loads.items():
        (lump,) = merge_fixed_lumps(bodies[name], parts[name]).values()
        lump, pose = lump_of_frame[load.to]
        lump.add_load(lump, compose_poses(pose, load.pose))
    return parts


def merge_fixed_lumps(body: Body, parts: Mapping[str, Lump]) -> dict[str, Lump]:
    """Merge the lumps of a body that fixed joints connect, also those kept `apart`."""
    if not any(joint.apart for joint in body.joints):
        return dict(parts)
    poses = {link.name: link.pose for link in body.links}
    joints = {joint.child: joint for joint in body.joints}
    found: dict[str, Lump] = {}
    lump_of: dict[str, Lump] = {}
    for root, lump in parts.items():
        joint = joints.get(root)
        if joint is None or joint.kind is not JointKind.FIXED:
            found[root] = Lump(root)
            found[root].merge(lump, IDENTITY)
        else:
            outer = lump_of[joint.parent]
            outer.merge(lump, compose_poses(outer.links[joint.parent], poses[root]))
        lump_of.update(dict.fromkeys(lump.links, found.get(root) or lump_of[joints[root].parent]))
    return found


def _displayed(link: Link) -> tuple[Geometry, ...]:
    """Return the displayed geometries of a link, without the visuals among its extras."""
    if any(extra.tag == "visual" for extra in link.extras):
        return ()
    visuals = tuple(g for g in link.geometries if not g.collides)
    return visuals or link.geometries


def _transformed(geometry: Geometry, pose: Pose) -> Geometry:
    return replace(geometry, pose=compose_poses(pose, geometry.pose))


class BallJoints(CopiedPart):
    """The state of all ball joints.

    Attributes:
        rotations: (n, 3) rotation vectors [rad].
        angular_velocities: (n, 3) angular velocities in the frames of the child links [rad/s].
    """

    saved_fields = ("rotations", "angular_velocities")

    def __init__(self, world: World, model: mj.MjModel) -> None:
        self.names = ball_names(world)
        ids = [model.joint(name).id for name in self.names]
        self._positions = [int(model.jnt_qposadr[i]) for i in ids]
        self._velocities = [int(model.jnt_dofadr[i]) for i in ids]
        self.rotations: Floats = np.zeros((len(ids), 3))
        self.angular_velocities: Floats = np.zeros((len(ids), 3))

    def write_to(self, data: mj.MjData) -> None:
        """Set positions and velocities of MuJoCo's joints."""
        for i, (q, v) in enumerate(zip(self._positions, self._velocities, strict=True)):
            data.qpos[q : q + 4] = rotation_by(self.rotations[i].tolist())
            data.qvel[v : v + 3] = self.angular_velocities[i]

    def read_positions(self, ecm: Any, joints: Sequence[Any]) -> None:
        """Read the state after Gazebo's last step; `joints` are Gazebo's joints in the order of `names`."""
        for i, joint in enumerate(joints):
            self.rotations[i] = joint.position(ecm)
            self.angular_velocities[i] = joint.velocity(ecm)

    def reset(self, ecm: Any, joints: Sequence[Any]) -> None:
        """Set Gazebo's joints to this state at the start of the next step."""
        for i, joint in enumerate(joints):
            joint.reset_position(ecm, self.rotations[i].tolist())
            joint.reset_velocity(ecm, self.angular_velocities[i].tolist())

    def copy_from(self, previous: BallJoints) -> None:
        """Copy the state of the joints that still exist."""
        for i, name in enumerate(self.names):
            if name in previous.names:
                index = previous.names.index(name)
                self.rotations[i], self.angular_velocities[i] = (
                    previous.rotations[index],
                    previous.angular_velocities[index],
                )


def ball_names(world: World) -> tuple[str, ...]:
    """Return the names of all ball joints."""
    return tuple(joint_name(body, joint) for body in world.bodies for joint in body.ball_joints)


def check_balls(world: World, physics: Physics) -> None:
    """Check that the physics engine reports the world's ball joints.

    Raises:
        BadInput: if it does not, and there are ball joints.
    """
    names = ball_names(world)
    if names and physics != "dartsim":
        raise BadInput(
            f"{physics} does not report how ball joints turn",
            where="options.physics",
            found=", ".join(names),
            expected="the physics engine dartsim, or a world without ball joints",
        )
