"""A robot that drives: a box on two ball wheels and a smooth ball, with a mast that leans."""

from __future__ import annotations

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.shapes import ShapeKind
from model_nodes.main_physics.world.description import (
    FOLLOW,
    IDENTITY,
    Base,
    Body,
    Geometry,
    Inertial,
    Joint,
    JointDrive,
    JointKind,
    Link,
    Pose,
)
from support.small_worlds import at

RADIUS = 0.1
SEPARATION = 0.4
ROLLING = JointDrive(DriveMode.VELOCITY, acceleration=20.0)


def _ball(name: str, pose: Pose, radius: float, mass: float, mu: float) -> Link:
    moment = 0.4 * mass * radius**2
    form = Geometry(ShapeKind.SPHERE, (radius,), friction=mu)
    return Link(name, pose, (form,), Inertial(mass, IDENTITY, (moment, moment, moment, 0, 0, 0)))


def rover(
    base: Base,
    pose: Pose = IDENTITY,
    wheels: JointDrive = ROLLING,
    mast: JointDrive = FOLLOW,
    grip: float = 1.0,
) -> Body:
    """A rover whose root link is on the ground between its wheels and looks along x.

    Its joints are left, right and lean (about y, with 1 kg at 0.5 m above).
    """
    trunk = Geometry(ShapeKind.BOX, (0.5, 0.3, 0.1), at(-0.05, 0, 0.2), friction=0.5)
    inertial = Inertial(20.0, at(-0.05, 0, 0.15), (0.2, 0.4, 0.5, 0.0, 0.0, 0.0))
    tip = Geometry(ShapeKind.BOX, (0.06, 0.06, 0.06), at(0, 0, 0.5), friction=0.5)
    links = (
        Link("foot", IDENTITY, (trunk,), inertial),
        _ball("left_wheel", at(0, SEPARATION / 2, RADIUS), RADIUS, 1.0, grip),
        _ball("right_wheel", at(0, -SEPARATION / 2, RADIUS), RADIUS, 1.0, grip),
        _ball("caster", at(-0.25, 0, 0.05), 0.05, 0.2, 0.001),
        Link(
            "mast", at(0, 0, 0.25), (tip,), Inertial(1.0, at(0, 0, 0.5), (0.01,) * 3 + (0.0,) * 3)
        ),
    )
    y = (0.0, 1.0, 0.0)
    joints = (
        Joint("left", JointKind.HINGE, "foot", "left_wheel", y, drive=wheels),
        Joint("right", JointKind.HINGE, "foot", "right_wheel", y, drive=wheels),
        Joint("caster", JointKind.FIXED, "foot", "caster"),
        Joint("lean", JointKind.HINGE, "foot", "mast", y, drive=mast, max_effort=20.0),
    )
    return Body("rover", links, joints, pose, base is Base.FIXED, True, base=base)
