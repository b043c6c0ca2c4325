"""Facts of a robot's program about its robot: its joints, hands and frames, and how poses lie in each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.poses import conjugate, multiply, normalized, rotate
from hetwin_core.kinematics.chains.screws import Segment
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.robot_program.messages import Pose

Functions = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Entity -> its functional attributes, each with its parameters."""


def within(frame: Sequence[float], pose: Sequence[float]) -> Pose:
    """Return a pose in a frame as one where the frame is."""
    x, y, z = rotate(frame[3:7], pose[:3])
    turn = normalized(multiply(frame[3:7], pose[3:7]))
    return (x + frame[0], y + frame[1], z + frame[2], *turn)


def seen_from(frame: Sequence[float], pose: Sequence[float]) -> Pose:
    """Return a pose as one in a frame; the inverse of `within`."""
    back = conjugate(frame[3:7])
    offset = tuple(a - b for a, b in zip(pose[:3], frame[:3], strict=True))
    return (*rotate(back, offset), *normalized(multiply(back, pose[3:7])))


def planar(pose: Sequence[float]) -> PlanarPose:
    """Return place and heading of a pose."""
    return PlanarPose.of(pose)


@dataclass(frozen=True, slots=True)
class JointFacts:
    """A joint that the program may move.

    Attributes:
        start: where it is at first [rad or m].
        lower, upper: limits [rad or m]; infinite if there are none.
        speed: largest velocity [rad/s or m/s].
        acceleration: largest one [rad/s^2 or m/s^2]; infinite: four times its speed per second.
    """

    start: float
    lower: float = -inf
    upper: float = inf
    speed: float = 1.0
    acceleration: float = inf


@dataclass(frozen=True, slots=True)
class HandFacts:
    """A hand of the scenario.

    Attributes:
        link: that it is fixed to.
        offset: (7) x y z [m], qw qx qy qz of its frame in the link.
        fingers: its joints.
        opened, closed: where these are when it is open, and when it is closed on nothing; empty: that is not known.
        approach: (3) direction in its frame in which it goes to an object; empty: from where its fingers begin.
    """

    link: str
    offset: Sequence[float]
    fingers: tuple[str, ...]
    opened: tuple[float, ...] = ()
    closed: tuple[float, ...] = ()
    approach: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RobotFacts:
    """A robot.

    Attributes:
        name: in the scene.
        joints: those that the program may move, by name.
        hands: by name.
        links: link -> the segments from the root link to it.
        root: (7) where its root link is at first.
        drives: whether its base moves.
        wheels: largest velocities of the base: forward [m/s], about z [rad/s].
        scope: before the ids of its tasks, where there are several robots.
        functions: entity -> its functional attributes, each with its parameters.
    """

    name: str
    joints: Mapping[str, JointFacts]
    hands: Mapping[str, HandFacts]
    links: Mapping[str, tuple[Segment, ...]]
    root: Sequence[float]
    drives: bool = False
    wheels: tuple[float, float] = (0.5, 1.0)
    scope: str = ""
    functions: Functions = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """Which program is to run, and for which robot.

    Attributes:
        program: MODULE:FUNCTION.
        folder: where its module is looked for, after the installed ones; empty: nowhere else.
        arguments: of the function, beside the robot.
        robot: facts about its robot.
    """

    program: str
    folder: str
    arguments: Mapping[str, Json]
    robot: RobotFacts


@dataclass(frozen=True, slots=True)
class Ready:
    """The program is there, or why it cannot be used, and the expectation."""

    problem: str = ""
    expected: str = ""
