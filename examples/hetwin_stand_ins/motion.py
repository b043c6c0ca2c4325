"""The robot's program over time: commands of arm and gripper, and action annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from hetwin_stand_ins.reaching import DOWN, ArmKinematics
from hetwin_suite.model import Floats, Json
from hetwin_suite.robot import Announcement

TICK_S = 0.004
"""Period of the program's set points."""


@dataclass(frozen=True, slots=True)
class GripperCommand:
    """A goal of the fingers from `time` on [m per finger, or share of the travel to closed]."""

    time: float
    goal: float


@dataclass(frozen=True, slots=True)
class Grip:
    """Force and timing of a gripper.

    Attributes:
        force: maximum force of each finger's motor [N].
        fading: time constant with which the force decays after the start of closing, as in a hot drive [s].
        stuck: whether the gripper never closes.
        late: delay of each finger's opening after the command [s]; empty: no delay.
    """

    force: float = 20.0
    fading: float = np.inf
    stuck: bool = False
    late: tuple[float, ...] = ()


@dataclass
class Program:
    """Set points of the arm every `TICK_S`, gripper commands and annotations; each method appends to them.

    Args:
        reacher: kinematics for straight motions of the hand.
        home: (n,) joint positions at the start.
        quaternion: (4,) orientation of the hand on straight lines, w x y z.
    """

    reacher: ArmKinematics
    home: Floats
    quaternion: Floats = field(default_factory=DOWN.copy)
    gripper: list[GripperCommand] = field(default_factory=list)
    announcements: list[Announcement] = field(default_factory=list)
    _parts: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        self._parts = [self.home[None, :]]

    @property
    def now(self) -> float:
        """End of the program so far [s]."""
        return (sum(len(part) for part in self._parts) - 1) * TICK_S

    @property
    def last(self) -> Floats:
        """(n,) the last set point."""
        return np.asarray(self._parts[-1][-1])

    def set_points(self) -> Floats:
        """Return (ticks, n) all set points."""
        return np.vstack(self._parts)

    @contextmanager
    def doing(self, operation: str, arguments: Mapping[str, Json]) -> Iterator[None]:
        """Annotate an action that covers everything planned inside the block."""
        self.announcements.append(Announcement(self.now, operation, "begin", dict(arguments)))
        yield
        self.announcements.append(Announcement(self.now, operation, "end", dict(arguments)))

    def announce(
        self, operation: str, arguments: Mapping[str, Json], time: float | None = None
    ) -> None:
        """Annotate an instant at `time` [s]; default: the current end of the program."""
        at = self.now if time is None else time
        self.announcements.append(Announcement(at, operation, "instant", dict(arguments)))

    def annotate(
        self, operation: str, arguments: Mapping[str, Json], begin: float, end: float
    ) -> None:
        """Annotate an action from `begin` to `end` [s], independently of other actions."""
        for time, phase in ((begin, "begin"), (end, "end")):
            self.announcements.append(Announcement(time, operation, phase, dict(arguments)))

    def time_of(self, operation: str) -> float:
        """Return the time of the first annotation of an operation [s]."""
        return next(a.time for a in self.announcements if a.operation == operation)

    def grip(self, goal: float, time: float | None = None) -> None:
        """Command the fingers to a goal at `time` [s]; default: the current end of the program."""
        self.gripper.append(GripperCommand(self.now if time is None else time, goal))

    def wait(self, duration: float) -> None:
        """Hold still for `duration` seconds."""
        self._parts.append(np.repeat(self.last[None, :], round(duration / TICK_S), axis=0))

    def move_joints(self, joints: Floats, duration: float) -> None:
        """Move all joints simultaneously to `joints`, with minimum jerk."""
        fraction = _minimum_jerk(duration)[:, None]
        self._parts.append(self.last + fraction * (joints - self.last))

    def move_straight(self, target: Floats, duration: float) -> None:
        """Move the hand's point straight to `target` (3,), at constant orientation, with minimum jerk."""
        start = self.reacher.point(self.last)
        fraction = _minimum_jerk(duration)[:, None]
        self.follow(start + fraction * (target - start))

    def follow(self, points: Floats) -> None:
        """Move the hand's point along `points` (ticks, 3), at constant orientation."""
        self._parts.append(self.reacher.follow(points, self.last, self.quaternion))


class SetPoints:
    """Interpolates a program's set points.

    Args:
        points: (ticks, n) joint positions, every `TICK_S`.
        early: fraction of a tick by which the next tick may start early, so that rounding does not delay it.
    """

    def __init__(self, points: Floats, early: float = 0.0) -> None:
        self._points, self._speeds = points, np.gradient(points, TICK_S, axis=0)
        self._early = early

    def at(self, time: float) -> tuple[Floats, Floats]:
        """Return (n,) positions and velocities at a time [s]; before and after the program, those at its ends."""
        last = len(self._points) - 1
        tick = min(max(time / TICK_S + self._early, 0.0), last)
        low = int(tick)
        high, fraction = min(low + 1, last), tick - low
        position = (1 - fraction) * self._points[low] + fraction * self._points[high]
        speed = (1 - fraction) * self._speeds[low] + fraction * self._speeds[high]
        return np.asarray(position), np.asarray(speed)


def _minimum_jerk(duration: float) -> Floats:
    """Return (ticks,) fractions of a minimum-jerk path, from just above 0 to 1."""
    ticks = round(duration / TICK_S)
    s = np.arange(1, ticks + 1) / ticks
    return np.asarray(s**3 * (10 - 15 * s + 6 * s**2))
