"""The mismatch between the simulated robot and its description, drawn from a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from hetwin_suite.engine import Body, DriveMode, Geometry, Joint, JointDrive, Link, World
from hetwin_suite.episode import named_generator
from hetwin_suite.robot import DifferentialDrive

GIVE = 0.05
"""Deviation at which a drive of nominal stiffness exerts its maximum effort [rad or m]."""
DEFAULT_FRICTION = 0.8
"""Friction coefficient of surfaces without one in the world."""


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Differences of this robot from its description.

    Attributes:
        bandwidth: bandwidth of its controllers [rad/s].
        feed_forward: share of the commanded velocity that its controllers feed forward.
        stiffness: factor of the drives' stiffness; at 1 they exert their maximum effort at a deviation of 0.05 rad or
        m.
        joint_friction: friction of a joint, as a share of its maximum effort.
        surfaces: factor of the friction of all surfaces.
        radius, separation: factors of the wheel geometry in its odometry.
        position_noise: standard deviation of the joints' position sensors [rad or m].
        velocity_noise: standard deviation of the joints' velocity sensors [rad/s or m/s].
        effort_noise: standard deviation of the joints' effort sensors, relative.
        range_noise: standard deviation of a laser scanner [m].
        place_noise, heading_noise: standard deviations of its localization [m] and [rad].
    """

    bandwidth: float
    feed_forward: float
    stiffness: float
    joint_friction: float
    surfaces: float
    radius: float
    separation: float
    position_noise: float
    velocity_noise: float
    effort_noise: float = 0.02
    range_noise: float = 0.01
    place_noise: float = 0.01
    heading_noise: float = 0.005


def drawn(seed: int) -> Mismatch:
    """Return the mismatch of a seed."""
    random = named_generator("obeying robot", seed)
    return Mismatch(
        bandwidth=random.uniform(40.0, 80.0),
        feed_forward=random.uniform(0.8, 0.95),
        stiffness=random.uniform(0.7, 1.5),
        joint_friction=random.uniform(0.002, 0.01),
        surfaces=random.uniform(0.8, 1.2),
        radius=random.uniform(0.99, 1.01),
        separation=random.uniform(0.98, 1.02),
        position_noise=random.uniform(1e-4, 3e-4),
        velocity_noise=random.uniform(1e-3, 5e-3),
    )


def noise(seed: int) -> np.random.Generator:
    """Return the generator of sensor noise."""
    return named_generator("obeying robot's noise", seed)


def as_it_is(world: World, mismatch: Mismatch, pulling: Callable[[str], bool]) -> World:
    """Return the world with the robot's actual frictions and drives.

    Args:
        world: world as described.
        mismatch: mismatch of the robot.
        pulling: returns whether a joint of this name, if it has limits, has a drive with limited effort.
    """
    return replace(world, bodies=tuple(_body(body, mismatch, pulling) for body in world.bodies))


def believed(wheels: DifferentialDrive, mismatch: Mismatch) -> DifferentialDrive:
    """Return the wheel geometry known to the robot's own software."""
    return replace(
        wheels,
        radius=wheels.radius * mismatch.radius,
        separation=wheels.separation * mismatch.separation,
    )


def _body(body: Body, mismatch: Mismatch, pulling: Callable[[str], bool]) -> Body:
    links = tuple(_link(link, mismatch) for link in body.links)
    joints = body.joints
    if body.robot:
        joints = tuple(_joint(joint, mismatch, pulling(joint.name)) for joint in joints)
    return replace(body, links=links, joints=joints)


def _link(link: Link, mismatch: Mismatch) -> Link:
    return replace(link, geometries=tuple(_geometry(g, mismatch) for g in link.geometries))


def _geometry(geometry: Geometry, mismatch: Mismatch) -> Geometry:
    friction = DEFAULT_FRICTION if geometry.friction is None else geometry.friction
    return replace(geometry, friction=friction * mismatch.surfaces)


def _joint(joint: Joint, mismatch: Mismatch, pulling: bool) -> Joint:
    effort = joint.max_effort or 0.0
    joint = replace(joint, friction=joint.friction + mismatch.joint_friction * effort)
    follows = joint.drive.mode is DriveMode.FOLLOW and joint.lower is not None
    if not (pulling and follows and effort) or joint.spring is not None:
        return joint
    stiffness = mismatch.stiffness * effort / GIVE
    return replace(joint, drive=JointDrive(DriveMode.LIMITED, stiffness, effort=effort))
