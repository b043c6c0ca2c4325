"""Tolerances of controllers and the outcomes of goals, as in ros2_controllers."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NamedTuple, Protocol

from hetwin_suite.model import Floats

ERASED = -1.0
"""Tolerance in a goal: the joint is not checked."""


class GoalEnd(StrEnum):
    """How a goal ended."""

    REACHED = "reached"
    REPLACED = "replaced"
    """Its controller received another motion."""
    CANCELED = "canceled"
    REFUSED = "refused"
    OFF_ITS_PATH = "off its path"
    """A joint left the path tolerance."""
    NOT_THERE_IN_TIME = "not there in time"
    """A joint was outside the goal tolerance after the goal's time."""
    STALLED = "stalled"
    """A gripper stopped before its goal."""


class Wrong(StrEnum):
    """Faulty part of a refused command."""

    GOAL = "goal"
    JOINTS = "joints"
    TIME = "time"


class Outcome(NamedTuple):
    """The end of a goal, the reason as text (empty if reached), and the faulty part if it was refused."""

    end: GoalEnd
    reason: str = ""
    wrong: Wrong = Wrong.GOAL


class Joints(NamedTuple):
    """Joint states at one time, each (n,) in the order of `names`.

    Attributes:
        time: time of the state [s].
        names: names of the joints.
        wanted, wanted_speeds: commanded positions [rad or m] and velocities [rad/s or m/s].
        positions, speeds: measured positions [rad or m] and velocities [rad/s or m/s].
        efforts: measured efforts [Nm or N]; NaN if not known.
    """

    time: float
    names: tuple[str, ...]
    wanted: Floats
    wanted_speeds: Floats
    positions: Floats
    speeds: Floats
    efforts: Floats


class Judge(Protocol):
    """Decides when a goal has ended."""

    def look(self, joints: Joints, end: float) -> Outcome | None:
        """Return the outcome of the goal; None while it is active.

        Args:
            joints: present joint states.
            end: end of its motion [s].
        """


class Tolerance(NamedTuple):
    """Maximum deviation of a joint: position [rad or m] and velocity [rad/s or m/s]; 0: not checked."""

    position: float = 0.0
    velocity: float = 0.0

    def violated(self, joints: Joints, index: int) -> str:
        """Return the exceeded tolerance of a joint with the deviation, as text; empty if none is exceeded."""
        apart = abs(float(joints.wanted[index] - joints.positions[index]))
        slip = abs(float(joints.wanted_speeds[index] - joints.speeds[index]))
        if 0.0 < self.position < apart:
            return (
                f"{joints.names[index]} is off by {apart:.4g} rad or m; allowed {self.position:.4g}"
            )
        if 0.0 < self.velocity < slip:
            unit = "rad/s or m/s"
            return f"{joints.names[index]} is off by {slip:.4g} {unit}; allowed {self.velocity:.4g}"
        return ""


STOPPED = 0.01
"""Default speed below which a joint counts as stopped [rad/s or m/s]."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The tolerances of a trajectory's joints.

    Attributes:
        path: joint -> tolerance during the motion.
        goal: joint -> tolerance at the end; for other joints only the velocity is checked.
        goal_time: maximum delay of the end [s]; 0: no limit.
        stopped: maximum velocity at the end [rad/s or m/s]; applies to joints without a goal tolerance.
    """

    path: Mapping[str, Tolerance] = field(default_factory=dict)
    goal: Mapping[str, Tolerance] = field(default_factory=dict)
    goal_time: float = 0.0
    stopped: float = STOPPED

    def at_goal(self, joint: str) -> Tolerance:
        """Return the tolerance of a joint at the end."""
        return self.goal.get(joint, Tolerance(velocity=self.stopped))

    def with_request(
        self,
        path: Iterable[tuple[str, Tolerance]],
        goal: Iterable[tuple[str, Tolerance]],
        goal_time: float,
        joints: Iterable[str],
    ) -> Tolerances:
        """Return the tolerances of a goal: 0 selects the default, -1 disables the check.

        Args:
            path, goal: pairs of joint and tolerance.
            goal_time: maximum delay of the end [s].
            joints: joints of the controller.

        Raises:
            ValueError: if a joint is not the controller's, or a tolerance is another negative number.
        """
        known = frozenset(joints)
        paths, goals = dict(self.path), dict(self.goal)
        for given, kept, default in (
            (path, paths, lambda name: self.path.get(name, Tolerance())),
            (goal, goals, self.at_goal),
        ):
            for name, wanted in given:
                if name not in known:
                    raise ValueError(f"a tolerance of {name}, which is none of its joints")
                kept[name] = Tolerance(*map(_resolved, default(name), wanted))
        return replace(self, path=paths, goal=goals, goal_time=_resolved(self.goal_time, goal_time))


def _resolved(default: float, given: float) -> float:
    """Return the effective tolerance."""
    if given == ERASED:
        return 0.0
    if not given >= 0.0:
        raise ValueError(f"a tolerance of {given:g}; expected a positive number, 0 or -1")
    return given or default


class TrajectoryJudge:
    """Judges a trajectory as joint_trajectory_controller does.

    Args:
        joints: joints of the trajectory.
        tolerances: tolerances of the trajectory.
    """

    def __init__(self, joints: Iterable[str], tolerances: Tolerances) -> None:
        self._joints, self._tolerances = tuple(joints), tolerances

    def look(self, joints: Joints, end: float) -> Outcome | None:
        """Return the outcome of the goal; None while it is active."""
        rules = self._tolerances
        is_over = joints.time >= end
        for name in self._joints:
            tolerance = rules.at_goal(name) if is_over else rules.path.get(name, Tolerance())
            wrong = tolerance.violated(joints, joints.names.index(name))
            if wrong and not is_over:
                return Outcome(GoalEnd.OFF_ITS_PATH, f"path tolerance violated: {wrong}")
            if wrong and 0.0 < rules.goal_time < joints.time - end:
                late = f"goal tolerance violated {joints.time - end:.3f} s after the end: {wrong}"
                return Outcome(GoalEnd.NOT_THERE_IN_TIME, late)
            if wrong:
                return None
        return Outcome(GoalEnd.REACHED) if is_over else None


@dataclass(slots=True)
class GripperJudge:
    """Judges a gripper's goal as the action controllers of grippers do.

    Attributes:
        joint: joint of the gripper.
        position: goal position [rad or m].
        goal_tolerance: maximum deviation from the goal position [rad or m].
        allow_stalling: whether a stalled gripper has succeeded.
        stall_velocity_threshold: velocity below which the joint stands still [rad/s or m/s].
        stall_timeout: time after which a joint that stands still is stalled [s].
    """

    joint: str
    position: float
    goal_tolerance: float = 0.01
    allow_stalling: bool = False
    stall_velocity_threshold: float = 0.001
    stall_timeout: float = 1.0
    _moved: float | None = None

    def look(self, joints: Joints, end: float) -> Outcome | None:
        """Return the outcome of the goal; None while it is active."""
        index = joints.names.index(self.joint)
        at, speed = float(joints.positions[index]), abs(float(joints.speeds[index]))
        if abs(at - self.position) < self.goal_tolerance:
            return Outcome(GoalEnd.REACHED)
        if self._moved is None or speed > self.stall_velocity_threshold:
            self._moved = joints.time
        if joints.time - self._moved <= self.stall_timeout:
            return None
        reason = f"{self.joint} stalled at {at:.4g}, on its way to {self.position:.4g}"
        return Outcome(GoalEnd.STALLED, reason)


class _Running(NamedTuple):
    number: int
    end: float
    judge: Judge | None


class Goals:
    """The goals of all controllers by number; thread-safe, since one thread queries and another one ends them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, _Running] = {}
        self._outcomes: dict[int, Outcome] = {}

    def begin_motion(
        self, controller: str, number: int, end: float, judge: Judge | None = None
    ) -> None:
        """Start a new motion of a controller.

        Args:
            controller: name of the controller; its present goal is replaced.
            number: number of the goal; 0: no client waits for it.
            end: end of the motion [s].
            judge: decides when the goal ends; None: it is reached at the end of the motion.
        """
        with self._lock:
            former = self._running.pop(controller, None)
            if former is not None:
                self._outcomes[former.number] = Outcome(
                    GoalEnd.REPLACED, f"{controller} got another motion"
                )
            if number:
                self._running[controller] = _Running(number, end, judge)

    def refuse(self, number: int, reason: str, wrong: Wrong = Wrong.GOAL) -> None:
        """Record that a goal was refused."""
        with self._lock:
            if number:
                self._outcomes[number] = Outcome(GoalEnd.REFUSED, reason, wrong)

    def cancel(self, controller: str, number: int) -> bool:
        """Cancel a goal; return whether it was still active."""
        with self._lock:
            running = self._running.get(controller)
            if running is None or running.number != number:
                return False
            del self._running[controller]
            self._outcomes[number] = Outcome(GoalEnd.CANCELED, "it was canceled")
            return True

    def look(self, time: float, joints: Joints | None = None) -> list[str]:
        """End the goals whose outcome is decided.

        Args:
            time: present time [s].
            joints: present joint states; None: the commanded ones.

        Returns:
            The controllers whose goal has failed, which must hold their joints.
        """
        failed: list[str] = []
        if not self._running:
            return failed
        with self._lock:
            for controller, running in list(self._running.items()):
                if running.judge is None or joints is None:
                    outcome = Outcome(GoalEnd.REACHED) if time >= running.end else None
                else:
                    outcome = running.judge.look(joints, running.end)
                if outcome is None:
                    continue
                del self._running[controller]
                self._outcomes[running.number] = outcome
                if outcome.end in (GoalEnd.OFF_ITS_PATH, GoalEnd.NOT_THERE_IN_TIME):
                    failed.append(controller)
        return failed

    def take(self, number: int) -> Outcome | None:
        """Return the outcome of a goal, once; None while it is active."""
        with self._lock:
            return self._outcomes.pop(number, None)
