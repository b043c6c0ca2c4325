"""Source of a robot's motion for a while: a part of its plan, and the joints that mimic others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.world.description import Body, Mimic, joint_name

if TYPE_CHECKING:
    from model_nodes.main_physics.sources.wrenches import LiveWrenches, Wrenches
    from model_nodes.skills.scene import SkillScene


SceneAt: TypeAlias = "Callable[[float], SkillScene]"
"""Returns the scene for a skill that begins at a time of the run [s]."""
Placement: TypeAlias = tuple[float, float, float]
"""Where a base is to be put: x, y [m], yaw [rad]."""


class JointMotion(NamedTuple):
    """The state of the joints at one time, in the order given to `Part.bind`.

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
        corrected: reason why the base is placed instead of driven, in words; empty if it is driven.
    """

    state: Floats
    odometry: Floats
    corrected: str = ""


class JointNow(NamedTuple):
    """A joint at one time: position [rad or m], velocity [rad/s or m/s], and effort [Nm or N], NaN if not known."""

    position: float
    velocity: float = 0.0
    effort: float = math.nan


class Part(ABC):
    """Moves the joints or the base of a robot for a while, and reports events; 0 ns is the start of the run.

    Attributes:
        at_ns: when it begins [ns]; None: when the part before it is over.
        end_ns: when it is over [ns]; None: that is not known yet.
        needs_scene: whether it can begin only when the state of the scene is available.
        is_recorded: whether the motion was recorded on the real robot; the joints then track it regardless of contact
            forces.
        takes_over: whether it can take over the robot in the middle of a run.
        senses: whether `sense` is called before each step.
        is_live: whether it runs in real time; if so, a run cannot be repeated.
        start_ns: when the recording begins, by the robot's clock [ns since the epoch]; None unless it is one.
        input_ns: live: when the newest sample of the last motion was measured, by this machine's clock [ns].
        late: live: whether the twin is so far behind that other models should step at lower rates.
        presses: whether joints are ever `limited`.
        limited: joints that from now on are to stop at objects, since their ends are unknown.
        findings: in the recording before the run.
        wrenches: of wrists; None: it has none.
        notes: for the user; `bind` and `bind_base` may add to them.
    """

    at_ns: int | None = None
    end_ns: int | None = None
    needs_scene = False
    is_recorded = False
    takes_over = False
    senses = False
    is_live = False
    start_ns: int | None = None
    input_ns: int | None = None
    late = False
    presses = False
    limited: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    wrenches: Wrenches | LiveWrenches | None = None
    notes: Sequence[str] = ()

    @property
    @abstractmethod
    def joint_names(self) -> tuple[str, ...]:
        """The joints that it moves; before it begins, those that it may move."""

    @property
    def duration_ns(self) -> int | None:
        """How long it lasts if it begins at `at_ns`, or at 0 [ns]; None if that is not known before."""
        return None

    @abstractmethod
    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them it may move.

        Args:
            joints: names of the robot's joints.
            period_ns: the usual period between calls of `motion` [ns].
            resting: where joints are before anything moves them, by name [rad or m]; 0 for others.

        Raises:
            BadInput: if it moves none of them.
        """

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select the motion of the robot's base, for `base`; called before `bind`.

        Args:
            robot: its pose is where it stands if `base` has no start.
            base: the topics.
            period_ns: the usual period between calls [ns].

        Raises:
            BadInput: if it lacks the base's motion.
        """
        raise BadInput(
            "this source does not say how the base moves",
            where="robot.base.odometry",
            found=base.odometry,
            expected="a recording or a live robot with this topic, or base: fixed",
        )

    def start(self) -> bool:
        """Prepare the first step; returns whether the robot may have moved since the part was bound."""
        return False

    def begin(
        self, begin_ns: int, now_ns: int, present: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Begin to move the joints; nothing is asked about times before.

        Args:
            begin_ns: when it begins [ns]; before `now_ns`, the motion before is left out.
            now_ns: until when the joints have moved.
            present: (3,) position, velocity and acceleration of each joint then.
            scene: returns the scene.

        Raises:
            RunFailed: if it cannot begin.
        """

    @abstractmethod
    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time; times never decrease. Joints that it does not move are 0.

        Raises:
            RunFailed: if it fails at that time.
        """

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion]:
        """Return the joints at each of some times; see `motion`."""
        return [self.motion(time_ns) for time_ns in times_ns]

    def base(self, time_ns: int) -> BaseMotion:
        """Return the state of the base at a time; times never decrease.

        Raises:
            RunFailed: if it fails at that time.
        """
        raise NotImplementedError  # a part that binds a base has it

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Take note of the robot's sensors, before the step that begins at a time.

        Args:
            time_ns: of the state [ns].
            joints: where all joints are, by name [rad or m].
            events: since the last step, among them detections of cameras.

        Returns:
            Where the base is to be put now; None: nowhere.

        Raises:
            RunFailed: if it fails at that time.
        """
        return None

    @property
    def quiet_ns(self) -> int:
        """No event and no end occurs before this time [ns]; 0 if that is not known."""
        return 0

    def events(self, time_ns: int) -> list[Event]:
        """Return action annotations and topic values since the last call, up to and including a time."""
        return []

    def ended(self, time_ns: int) -> bool:
        """Whether the part is over at a given time."""
        return self.end_ns is not None and time_ns >= self.end_ns

    def save(self) -> Plain:
        """Return where it is, for `restore`.

        Raises:
            Refused: if another process cannot go on from there.
        """
        raise Refused(f"a {type(self).__name__} cannot be saved: it cannot be read again")

    def restore(self, saved: Plain) -> None:
        """Go on from where a bound part of the same input was saved.

        Raises:
            Refused: if it cannot.
        """
        raise Refused(f"a {type(self).__name__} cannot be restored")

    def close(self) -> None:
        """Close files and subscriptions."""


class Mimics:
    """Makes joints follow their masters, unless they are moved or their position is given.

    Args:
        robots: with their driven joints, in the order of these.
        start: initial positions that are given, by the scene's name of a joint.
        driven: (n,) which of the joints are moved.
    """

    def __init__(
        self, robots: Sequence[Body], start: Mapping[str, float], driven: NDArray[np.bool_]
    ) -> None:
        joints = [(body, joint) for body in robots for joint in body.driven_joints]
        names = [joint_name(body, joint) for body, joint in joints]
        found = [
            (i, _master(names, body, joint.mimic), joint.mimic.multiplier, joint.mimic.offset)
            for i, (body, joint) in enumerate(joints)
            if joint.mimic is not None and not driven[i] and names[i] not in start
        ]
        self._mimics = np.array([m[0] for m in found], np.intp)
        self._masters = np.array([m[1] for m in found], np.intp)
        self._factors = np.array([m[2] for m in found])
        self._offsets = np.array([m[3] for m in found])

    def __len__(self) -> int:
        """Number of joints that follow."""
        return len(self._mimics)

    def follow(self, motion: JointMotion) -> JointMotion:
        """Return a motion in which they follow their masters."""
        mimics, masters = self._mimics, self._masters
        positions = motion.positions.copy()
        velocities, accelerations = motion.velocities.copy(), motion.accelerations.copy()
        positions[mimics] = positions[masters] * self._factors + self._offsets
        velocities[mimics] = velocities[masters] * self._factors
        accelerations[mimics] = accelerations[masters] * self._factors
        return JointMotion(positions, velocities, accelerations, motion.efforts)

    def of_masters(self, efforts: Floats) -> Floats:
        """Add the efforts of mimicking joints to those of their masters, which drive them; theirs become NaN."""
        shares = efforts[self._mimics] * self._factors
        np.add.at(efforts, self._masters, np.where(np.isnan(shares), 0.0, shares))
        efforts[self._mimics] = np.nan
        return efforts


def _master(names: Sequence[str], body: Body, mimic: Mimic) -> int:
    master = next(joint for joint in body.joints if joint.name == mimic.joint)
    return names.index(joint_name(body, master))
