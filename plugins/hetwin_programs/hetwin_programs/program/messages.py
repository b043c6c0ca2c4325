"""Messages between a robot's program and the twin, alternating: requests one way, sensor values the other."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hetwin_programs.base_moves import BaseMove
from hetwin_suite.model import Event
from hetwin_suite.robot import JointTrajectory

Pose = tuple[float, ...]
"""x y z [m], qw qx qy qz."""


class Sighting(NamedTuple):
    """A detection of a camera.

    Attributes:
        object: name that the detector reports.
        pose: pose in the picture's frame.
        confidence: 0 to 1.
    """

    object: str
    pose: Pose
    confidence: float


@dataclass(frozen=True, slots=True)
class SensedState:
    """The robot's own sensor values.

    Attributes:
        time: time since the start of the run [s].
        joints: measured positions of all joints of the robot, by name [rad or m].
        root: pose of the root link, by odometry.
    """

    time: float
    joints: Mapping[str, float]
    root: Pose


@dataclass(frozen=True, slots=True)
class Picture:
    """Detections of a camera at one time.

    Attributes:
        camera: name of the camera.
        frame: link of the robot whose frame the poses are in; empty: the world.
        found: the detections.
        sensed: the robot's sensor values at that time.
    """

    camera: str
    frame: str
    found: tuple[Sighting, ...]
    sensed: SensedState


@dataclass(frozen=True, slots=True)
class Reply:
    """The twin's message at the end of the time that the program waited for.

    Attributes:
        sensed: current sensor values.
        pictures: pictures since the last reply.
    """

    sensed: SensedState
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldThing:
    """Something that the robot believes to move with a link of its own.

    Attributes:
        frame: name of the link, as the robot has it.
        pose: pose in that link's frame.
    """

    frame: str
    pose: Pose


@dataclass(slots=True)
class Request:
    """A request of the program.

    Attributes:
        events: actions, beliefs and percepts since the last request; those with time 0 happen now.
        motions: motions of joints that start now.
        base: motion of the base that starts now, or None.
        held: objects that the robot believes to hold from now on; None: unchanged.
        seconds: time until the reply [s].
        until_picture: whether the reply comes as soon as there is a picture.
    """

    events: list[Event] = field(default_factory=list)
    motions: list[JointTrajectory] = field(default_factory=list)
    base: BaseMove | None = None
    held: Mapping[str, HeldThing] | None = None
    seconds: float = 0.0
    until_picture: bool = False


@dataclass(frozen=True, slots=True)
class ProgramEnd:
    """The program has ended.

    Attributes:
        events: events since the last request.
        problem: reason of the failure, with its place in the code; empty: success.
    """

    events: Sequence[Event] = ()
    problem: str = ""


class Twin(Protocol):
    """The program's connection to the twin."""

    def ask(self, request: Request) -> Reply:
        """Send a request; returns when its time is over."""


class Failed(Exception):
    """A task cannot be done; it ends as failed with this text as the reason, and so do the tasks around it.

    A program raises it, and catches it where it can do something else instead.

    Attributes:
        reported: whether a task has already been reported as failed.
    """

    reported = False


class CannotReach(Failed):
    """The hand cannot reach the goal with any positions of its arm's joints."""


class NotOfRobots(AttributeError):
    """A program used an attribute that a robot does not have."""


def end_with(life: int) -> None:
    """End this process as soon as the other end of a pipe is closed.

    Args:
        life: file descriptor of this end.
    """
    threading.Thread(target=_exit_at_end, args=(life,), daemon=True).start()


def _exit_at_end(life: int) -> None:
    os.read(life, 1)
    os._exit(1)
