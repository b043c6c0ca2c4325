"""What a robot's program knows about its robot: its joints, hands and frames, and nothing of the scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf

from hetwin_core.kinematics.chains.segment import Segment


@dataclass(frozen=True, slots=True)
class JointFacts:
    """A joint that the program may move.

    Attributes:
        start: where it is at first [rad or m].
        lower, upper: limits [rad or m]; infinite if there are none.
        speed: largest velocity [rad/s or m/s].
        acceleration: largest one [rad/s^2 or m/s^2]; infinite: what leads to four times its speed in a second.
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
        approach: (3) direction in its frame in which it goes to what it grasps; empty: from where its fingers begin.
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
    """

    name: str
    joints: Mapping[str, JointFacts]
    hands: Mapping[str, HandFacts]
    links: Mapping[str, tuple[Segment, ...]]
    root: Sequence[float]
    drives: bool = False
    wheels: tuple[float, float] = (0.5, 1.0)
    scope: str = ""
