"""Sources of a robot's motion for a while, that is, parts of its plan; and joints that mimic others."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from hetwin_core.ensemble.validation import Strict
from model_nodes.main_physics.world.description import Body, Mimic, joint_name

if TYPE_CHECKING:
    from model_nodes.main_physics.settings import NamedHand
    from model_nodes.main_physics.sources.wrenches import LiveWrenches, Wrenches
    from model_nodes.main_physics.wheels import DifferentialDrive


Functions: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Json]]]
"""Entity -> its functional attributes, each with its parameters."""


@dataclass(frozen=True, slots=True)
class SourceContext:
    """The robots that a source moves, and what it may know about them and the scene.

    Attributes:
        robots: the robots.
        hands: hands of the robots, by name.
        wheels: wheels by which a commanded velocity moves the base; None: there are none.
        scope: prefix of the ids of the robot's tasks, if there are several robots.
        functions: functional attributes of entities.
    """

    robots: Sequence[Body] = ()
    hands: Mapping[str, NamedHand] = field(default_factory=dict)
    wheels: DifferentialDrive | None = None
    scope: str = ""
    functions: Functions = field(default_factory=dict)


class SceneStart(NamedTuple):
    """The scene at the start of a part.

    Attributes:
        time: time of the run [s].
        joints: commanded positions of the robot's joints, by name [rad or m].
        pose_of: returns the pose of an entity, (13,) as in `scene.values`.
        entities: entities of the scene, with their shapes, by name.
    """

    time: float
    joints: Mapping[str, float]
    pose_of: Callable[[str], Floats]
    entities: Mapping[str, Entity]


PARTS = Group(
    "hetwin.parts",
    "kind of source",
    "a function of a source's keys and a SourceContext, which returns a Part",
    {"commands": "commanding", "operation": "programs", "program": "programs"},
)


def load_part(kind: str, spec: Strict, context: SourceContext, where: str) -> Part:
    """Return the part of a kind of source that a package adds.

    Args:
        kind: name of the entry point.
        spec: the scenario's entry.
        context: the robots that the part moves.
        where: key of the entry, for errors.

    Raises:
        BadInput: if no such package is installed, or the entry cannot be used.
    """
    part: Part = PARTS.load(kind, where)(spec, context)
    return part


SceneAt: TypeAlias = Callable[[float], SceneStart]
"""Returns the scene for a part that starts at a time of the run [s]."""
Placement: TypeAlias = tuple[float, float, float]
"""New pose of a base: x, y [m], yaw [rad]."""


class JointMotion(NamedTuple):
    """The state of the joints at one time, in the order given to `Part.bind`.

    Attributes:
        positions: (n,) rad or m.
        velocities: (n,) rad/s or m/s, of the interpolated motion.
        accelerations: (n,) rad/s^2 or m/s^2, of the interpolated motion.
        efforts: (n,) Nm or N as recorded, NaN where not recorded.
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
        odometry: (13,) pose in the frame where odometry started, and twist along the root link's own axes, as in
            nav_msgs/Odometry.
        corrected: description of the correction if the base is placed instead of driven; otherwise empty.
    """

    state: Floats
    odometry: Floats
    corrected: str = ""


class JointReading(NamedTuple):
    """The state of a joint: position [rad or m], velocity [rad/s or m/s], and effort [Nm or N], NaN if unknown."""

    position: float
    velocity: float = 0.0
    effort: float = math.nan


class Part(ABC):
    """Moves the joints or the base of a robot for a while, and reports events; 0 ns is the start of the run.

    Attributes:
        at_ns: start of the part [ns]; None: at the end of the previous part.
        end_ns: end of the part [ns]; None: not known yet.
        needs_scene: whether it can only start when the state of the scene is available.
        is_recorded: whether the motion was recorded on the real robot; the joints then track it regardless of contact
            forces.
        takes_over: whether it can take over the robot in the middle of a run.
        senses: whether `sense` is called before each step.
        is_live: whether it runs in real time; such a run cannot be repeated.
        start_ns: start of the recording by the robot's clock [ns since the epoch]; None if it is not recorded.
        input_ns: live: measurement time of the newest sample in the last motion, by this machine's clock [ns].
        late: live: whether the twin lags so far behind that other models should step at lower rates.
        presses: whether `limited` ever contains joints.
        limited: joints that must stop at objects from now on, since their final positions are unknown.
        findings: findings in the recording before the run.
        wrenches: wrenches of wrists; None: there are none.
        notes: notes for the user; `bind` and `bind_base` may add to them.
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
        """Names of the joints that the part moves; before its start, names of all joints that it may move."""

    @property
    def duration_ns(self) -> int | None:
        """Duration if the part starts at `at_ns`, or at 0 [ns]; None if it is not known in advance."""
        return None

    @abstractmethod
    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them it may move.

        Args:
            joints: names of the robot's joints.
            period_ns: usual period between calls of `motion` [ns].
            resting: name -> position of joints before anything moves them [rad or m]; 0 for others.

        Raises:
            BadInput: if it moves none of them.
        """

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select the motion of the robot's base; called before `bind`.

        Args:
            robot: the robot; its pose is the start if `base` has none.
            base: the scenario's entry, with the topics.
            period_ns: usual period between calls [ns].

        Raises:
            BadInput: if the source does not contain the base's motion.
        """
        raise BadInput(
            "this source does not say how the base moves",
            where="robot.base.odometry",
            found=base.odometry,
            expected="a recording or a live robot with this topic, or base: fixed",
        )

    def await_input(self, time_ns: int) -> None:
        """Wait a little for motion after a time of the run [ns]; only a live robot has to be awaited."""

    def start(self) -> bool:
        """Prepare the first step; returns whether the robot may have moved since the part was bound."""
        return False

    def begin(
        self, begin_ns: int, now_ns: int, current: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Start to move the joints; `motion` is not called for earlier times.

        Args:
            begin_ns: start of the part [ns]; if it is before `now_ns`, the motion in between is left out.
            now_ns: time up to which the joints have moved [ns].
            current: (3,) position, velocity and acceleration of each joint at `now_ns`.
            scene: returns the scene.

        Raises:
            RunFailed: if the part cannot start.
        """

    @abstractmethod
    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of the joints at a time, which must not decrease. Joints that it does not move are 0.

        Raises:
            RunFailed: if the part fails at that time.
        """

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion]:
        """Return the motion of the joints at each of some times; see `motion`."""
        return [self.motion(time_ns) for time_ns in times_ns]

    def base(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time, which must not decrease.

        Raises:
            RunFailed: if the part fails at that time.
        """
        raise NotImplementedError  # parts with `bind_base` implement this

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Read the robot's sensors before the step that starts at a time.

        Args:
            time_ns: time of the state [ns].
            joints: name -> position of all joints [rad or m].
            events: events since the last step, including detections of cameras.

        Returns:
            The pose to which the base is moved now; None: it is not moved.

        Raises:
            RunFailed: if the part fails at that time.
        """
        return None

    @property
    def quiet_ns(self) -> int:
        """Time before which there is no event and no end [ns]; 0 if unknown."""
        return 0

    def events(self, time_ns: int) -> list[Event]:
        """Return action annotations and topic values since the last call, up to and including a time."""
        return []

    def ended(self, time_ns: int) -> bool:
        """Whether the part is over at a given time."""
        return self.end_ns is not None and time_ns >= self.end_ns

    def save(self) -> Plain:
        """Return the position in the source, for `restore`.

        Raises:
            Refused: if another process cannot continue from there.
        """
        raise Refused(f"a {type(self).__name__} cannot be saved: it cannot be read again")

    def restore(self, saved: Plain) -> None:
        """Continue from the saved position of a bound part with the same input.

        Raises:
            Refused: if that is not possible.
        """
        raise Refused(f"a {type(self).__name__} cannot be restored")

    def close(self) -> None:
        """Close files and subscriptions."""


class Mimics:
    """Makes joints follow their masters, unless a source moves them or the scenario gives their position.

    Args:
        robots: the robots, in the order of their driven joints.
        start: initial positions that the scenario gives, by the joint's name in the scene.
        driven: (n,) which of the joints a source moves.
    """

    def __init__(
        self, robots: Sequence[Body], start: Mapping[str, float], driven: NDArray[np.bool_]
    ) -> None:
        joints = [(body, joint) for body in robots for joint in body.driven_joints]
        names = [joint_name(body, joint) for body, joint in joints]
        mimics = [
            (i, _master_index(names, body, joint.mimic), joint.mimic.multiplier, joint.mimic.offset)
            for i, (body, joint) in enumerate(joints)
            if joint.mimic is not None and not driven[i] and names[i] not in start
        ]
        self._mimics = np.array([m[0] for m in mimics], np.intp)
        self._masters = np.array([m[1] for m in mimics], np.intp)
        self._factors = np.array([m[2] for m in mimics])
        self._offsets = np.array([m[3] for m in mimics])

    def __len__(self) -> int:
        """Number of joints that follow a master."""
        return len(self._mimics)

    def follow(self, motion: JointMotion) -> JointMotion:
        """Return the motion with mimicking joints following their masters."""
        mimics, masters = self._mimics, self._masters
        positions = motion.positions.copy()
        velocities, accelerations = motion.velocities.copy(), motion.accelerations.copy()
        positions[mimics] = positions[masters] * self._factors + self._offsets
        velocities[mimics] = velocities[masters] * self._factors
        accelerations[mimics] = accelerations[masters] * self._factors
        return JointMotion(positions, velocities, accelerations, motion.efforts)

    def add_to_masters(self, efforts: Floats) -> Floats:
        """Add the efforts of mimicking joints to those of the masters that drive them; their own become NaN."""
        shares = efforts[self._mimics] * self._factors
        np.add.at(efforts, self._masters, np.where(np.isnan(shares), 0.0, shares))
        efforts[self._mimics] = np.nan
        return efforts


def _master_index(names: Sequence[str], body: Body, mimic: Mimic) -> int:
    master = next(joint for joint in body.joints if joint.name == mimic.joint)
    return names.index(joint_name(body, master))
