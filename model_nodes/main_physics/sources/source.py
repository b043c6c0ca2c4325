"""The interface of sources to the main model."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.wheels import DifferentialDrive
from model_nodes.main_physics.world.description import Body


@dataclass(frozen=True, slots=True)
class JointMotion:
    """The state of the joints at one time, in the order given to `Source.bind`.

    Attributes:
        positions: (n,) rad or m.
        velocities: (n,) rad/s or m/s, of the interpolated motion.
        accelerations: (n,) rad/s^2 or m/s^2, of the interpolated motion.
        efforts: (n,) Nm or N as recorded, NaN where there is none.
    """

    positions: Floats
    velocities: Floats
    accelerations: Floats
    efforts: Floats


@dataclass(frozen=True, slots=True)
class BaseMotion:
    """The state of a robot's base at one time.

    Attributes:
        state: (13,) pose and twist of the root link in the world, as in `scene.values`.
        odometry: (13,) pose in the frame in which odometry began, and twist along the root link's own axes, as in
            nav_msgs/Odometry.
        corrected: why the base is put there rather than moves there, in words; empty: it moves.
    """

    state: Floats
    odometry: Floats
    corrected: str = ""


class JointNow(NamedTuple):
    """A joint at one time: position [rad or m], velocity [rad/s or m/s], and effort [Nm or N], NaN if not known."""

    position: float
    velocity: float = 0.0
    effort: float = math.nan


class BaseSource(Protocol):
    """What moves the base of one robot; see `Source`."""

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select what moves the base; called before `base`."""

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a time."""


class Source(ABC):
    """Joint positions, action annotations and topics over time; 0 ns is the start of the run."""

    @property
    @abstractmethod
    def joint_names(self) -> tuple[str, ...]:
        """All joints of the source."""

    @property
    @abstractmethod
    def duration_ns(self) -> int | None:
        """The run time at which the source ends [ns]; None if that is unknown."""

    @property
    def start_ns(self) -> int | None:
        """When the recording begins, by the robot's clock [ns since the epoch]; None unless it is one."""
        return None

    def of(self, robot: str) -> BaseSource:
        """What moves the base of a robot, if this is the source of several robots."""
        return self

    @abstractmethod
    def bind(self, joints: Sequence[str], period_ns: int) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them the source drives.

        Args:
            joints: names of the robot's joints.
            period_ns: the usual period between calls of `motion` [ns].

        Raises:
            BadInput: if the source drives none of them.
        """

    def rest_at(self, positions: Mapping[str, float]) -> None:
        """Take note of where joints are before anything moves them, by name [rad or m]; called before `bind`."""

    def use_wheels(self, wheels: DifferentialDrive) -> None:
        """Take note of the wheels that move the robot, for commands to its base; called before `bind`."""

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select what moves the base of a robot, for `base`; called before `bind`.

        Args:
            robot: its pose is where it stands if `base` does not say where it starts.
            base: the topics.
            period_ns: the usual period between calls [ns].

        Raises:
            BadInput: if the source does not say how the base moves.
        """
        raise BadInput(
            "this source does not say how the base moves",
            where="robot.base.odometry",
            found=base.odometry,
            expected="a recording or a live robot with this topic, or base: fixed",
        )

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a time; times never decrease.

        Raises:
            RunFailed: if the source fails at that time.
        """
        raise NotImplementedError  # a source that binds a base has it

    @property
    def senses(self) -> bool:
        """Whether it wants to be told before each step what the robot senses."""
        return False

    def sense(self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]) -> None:
        """Take note of what the robot senses, before the step that begins at a time.

        Args:
            time_ns: of the state [ns].
            joints: where all joints are, by name [rad or m].
            events: since the last step, among them what cameras detect.

        Raises:
            RunFailed: if the source fails at that time.
        """

    def take_placement(self) -> tuple[float, float, float] | None:
        """Return once where the base of the only robot is to be put now: x, y [m], yaw [rad]; None: nowhere."""
        return None

    @property
    def limited(self) -> tuple[str, ...]:
        """Names of joints that from now on are to stop at what they touch, for nothing says how far they came."""
        return ()

    @property
    def takes_over(self) -> bool:
        """Whether it can go on with a robot in the middle of a run; see `take_over`."""
        return False

    def use_places(self, pose_of: Callable[[str], Floats], entities: Mapping[str, Entity]) -> None:
        """Take note of the main model's entities; called before the first step.

        Args:
            pose_of: returns where one is, (13,) as in `scene.values`.
            entities: by name.
        """

    def take_over(self, time_ns: int, joints: Mapping[str, JointNow]) -> None:
        """Go on with the robot in the middle of a run, instead of another source; called after `bind`.

        Args:
            time_ns: of the run [ns]; nothing is asked about times before it.
            joints: how they are then, by name.
        """

    def begin(self) -> bool:
        """Prepare the first step; returns whether the robot may have moved since the source was bound."""
        return False

    @property
    def input_ns(self) -> int | None:
        """Live: when the newest sample of the last motion was measured, in this machine's time [ns]."""
        return None

    @property
    def reproducible(self) -> bool:
        """Whether another run would get the same input."""
        return True

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found in the recording before the run."""
        return ()

    @property
    def late(self) -> bool:
        """Live: whether the twin is so far behind that other models should step at lower rates."""
        return False

    @abstractmethod
    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time; times never decrease. Joints that are not driven are 0.

        Raises:
            RunFailed: if the source fails at that time.
        """

    @abstractmethod
    def events(self, time_ns: int) -> list[Event]:
        """Return action annotations and topic values since the last call, up to and including `time_ns`."""

    @abstractmethod
    def ended(self, time_ns: int) -> bool:
        """Whether nothing follows after `time_ns`."""

    def save(self) -> Plain:
        """Return where the source is, for `restore`.

        Raises:
            Refused: if another process cannot go on from there.
        """
        raise Refused(f"a {type(self).__name__} cannot be saved: it cannot be read again")

    def restore(self, saved: Plain) -> None:
        """Go on from where a bound source of the same input was saved."""
        raise Refused(f"a {type(self).__name__} cannot be restored")

    @abstractmethod
    def close(self) -> None:
        """Close files and subscriptions."""
