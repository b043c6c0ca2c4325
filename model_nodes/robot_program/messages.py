"""Messages between a robot's program and the twin, in turn: sensor values one way, requests the other."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from hetwin_core.ensemble.events import Event
from hetwin_core.kinematics.base_moves import BaseMove
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory

Pose = tuple[float, ...]
"""x y z [m], qw qx qy qz."""


class Sighting(NamedTuple):
    """A detection of a camera.

    Attributes:
        object: name of the object that it believes to see.
        pose: in the frame of its picture.
        confidence: 0 to 1.
    """

    object: str
    pose: Pose
    confidence: float


@dataclass(frozen=True, slots=True)
class SensedState:
    """The robot's own sensor values.

    Attributes:
        time: since the start of the run [s].
        joints: measured positions of all joints of the robot, by name [rad or m].
        root: where its root link is, by its odometry.
    """

    time: float
    joints: Mapping[str, float]
    root: Pose


@dataclass(frozen=True, slots=True)
class Picture:
    """Detections of a camera at one time.

    Attributes:
        camera: its name.
        frame: link of the robot in which the poses are; empty: the world.
        found: the detections.
        sensed: the robot's sensor values then.
    """

    camera: str
    frame: str
    found: tuple[Sighting, ...]
    sensed: SensedState


@dataclass(frozen=True, slots=True)
class Reply:
    """The twin's message when the time that the program waited for has come.

    Attributes:
        sensed: now.
        pictures: that have been taken since the last reply.
    """

    sensed: SensedState
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldThing:
    """Something that the robot believes to move with a link of its own.

    Attributes:
        frame: the link, by the robot's own name.
        pose: in that link's frame.
    """

    frame: str
    pose: Pose


@dataclass(slots=True)
class Request:
    """A request of the program.

    Attributes:
        events: its actions, beliefs and percepts since its last request; those of time 0 happen now.
        motions: of joints, that begin now.
        base: motion of the base that begins now; None: none.
        held: objects that it believes to hold from now on; None: as before.
        seconds: how long it waits for the reply [s].
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
        events: since its last request.
        problem: why it could not go on, with the place; empty: it is done.
    """

    events: Sequence[Event] = ()
    problem: str = ""


class Twin(Protocol):
    """The program's side of the connection."""

    def ask(self, request: Request) -> Reply:
        """Pass a request on; returns when its time is over."""


class Failed(Exception):
    """A task cannot be done; it ends as failed, with this text as the reason, and so do those that it is a part of.

    A program raises it, and catches it where it has another way.

    Attributes:
        told: whether it has ended a task as failed.
    """

    told = False


class CannotReach(Failed):
    """No positions of an arm's joints bring its hand where it is to be."""


class NotOfRobots(AttributeError):
    """A program asked for something that a robot does not have."""


def end_with(life: int) -> None:
    """End this process as soon as the other end of a pipe is closed.

    Args:
        life: file descriptor of this end.
    """
    threading.Thread(target=_wait_for_the_end, args=(life,), daemon=True).start()


def _wait_for_the_end(life: int) -> None:
    os.read(life, 1)
    os._exit(1)
