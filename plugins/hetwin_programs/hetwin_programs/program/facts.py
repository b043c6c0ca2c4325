"""The facts about its robot that a program gets: joints, hands and frames; and transforms of poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from hetwin_programs.program.messages import Pose
from hetwin_suite.model import Json, conjugate, multiply, normalized, rotate
from hetwin_suite.robot import PlanarPose, Segment
from hetwin_suite.source import Functions


def within(frame: Sequence[float], pose: Sequence[float]) -> Pose:
    """Transform a pose from a frame to the frame's parent."""
    x, y, z = rotate(frame[3:7], pose[:3])
    rotation = normalized(multiply(frame[3:7], pose[3:7]))
    return (x + frame[0], y + frame[1], z + frame[2], *rotation)


def seen_from(frame: Sequence[float], pose: Sequence[float]) -> Pose:
    """Transform a pose to a frame; the inverse of `within`."""
    inverse = conjugate(frame[3:7])
    offset = tuple(a - b for a, b in zip(pose[:3], frame[:3], strict=True))
    return (*rotate(inverse, offset), *normalized(multiply(inverse, pose[3:7])))


def planar(pose: Sequence[float]) -> PlanarPose:
    """Return position and heading of a pose in the plane."""
    return PlanarPose.of(pose)


@dataclass(frozen=True, slots=True)
class JointFacts:
    """A joint that the program may move.

    Attributes:
        start: initial position [rad or m].
        lower, upper: limits [rad or m]; infinite if there are none.
        speed: maximum velocity [rad/s or m/s].
        acceleration: maximum acceleration [rad/s^2 or m/s^2]; infinite: four times the velocity per second.
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
        link: link that the hand is fixed to.
        offset: (7) x y z [m], qw qx qy qz of the hand's frame in the link.
        fingers: names of the finger joints.
        opened, closed: positions of the open hand, and of the hand closed on nothing; empty: unknown.
        approach: (3) direction in the hand's frame in which it approaches an object; empty: derived from the fingers.
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
        name: name in the scene.
        joints: joints that the program may move, by name.
        hands: hands by name.
        links: link -> the segments from the root link to it.
        root: (7) initial pose of the root link.
        drives: whether the base moves.
        wheels: maximum velocities of the base: forward [m/s], about z [rad/s].
        scope: prefix of the ids of its tasks, if there are several robots.
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
    """The program to run, and its robot.

    Attributes:
        program: MODULE:FUNCTION.
        folder: folder in which the module is searched for after installed modules; empty: nowhere else.
        arguments: arguments of the function besides the robot.
        robot: facts about the robot.
    """

    program: str
    folder: str
    arguments: Mapping[str, Json]
    robot: RobotFacts


@dataclass(frozen=True, slots=True)
class Ready:
    """The program can be used if `problem` is empty; otherwise the reason why not, and the expectation."""

    problem: str = ""
    expected: str = ""
