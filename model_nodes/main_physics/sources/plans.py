"""Motion of all robots of a scene: one plan per robot, or a single plan for all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.events import ROBOT, Event, EventKind, Json
from hetwin_core.ensemble.saving.plain import Plain, StateError
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.part import (
    BaseMotion,
    JointMotion,
    JointReading,
    Mimics,
    Placement,
)
from model_nodes.main_physics.sources.plan import Plan, start_times
from model_nodes.main_physics.sources.wrenches import RobotWrenches
from model_nodes.main_physics.world.description import Body, joint_name

_JOINT_KEYS = ("joint", "joints")
ALL = ""
"""Key of a plan that moves all robots, in place of a robot's name."""

Value = TypeVar("Value")


class _RobotPlan(NamedTuple):
    """The plan of a robot; with several robots, its recording may start after the first one."""

    robot: str
    plan: Plan
    begin_ns: int

    def scene_name(self, name: str) -> str:
        """The scene's name of one of the robot's joints."""
        return f"{self.robot}::{name}" if self.robot else name

    def select(self, of_all: Mapping[str, Value]) -> Mapping[str, Value]:
        """Select the values of the robot's joints, by the robot's own names."""
        if not self.robot:
            return of_all
        scope = f"{self.robot}::"
        return {n.removeprefix(scope): v for n, v in of_all.items() if n.startswith(scope)}

    def with_robot(self, error: RunFailed) -> RunFailed:
        """Convert an error to run time, and add the robot's name."""
        if not self.robot:
            return error
        at_ns = error.time_ns + self.begin_ns
        return RunFailed(f"{error.model} of {self.robot}", error.call, at_ns, error.reason)


class Plans:
    """Moves all joints of all robots; recordings of several robots are aligned by their clocks.

    A joint that a plan moves does so even if it mimics another one in the URDF; other mimic joints follow their master,
    and all remaining joints rest. With several robots, joints are called ROBOT::JOINT, and events of the robots'
    programs have the argument ``robot``.

    Args:
        plans: name of a robot -> its plan, in the order of their joints; `ALL` -> the plan that moves all robots.

    Attributes:
        driven: (n,) which joints a plan moves.
        measured_efforts: (n,) recorded efforts at the time of the last motion [Nm or N], NaN where not recorded.
        limited: names of joints that must stop at objects from now on.
        is_live: whether a robot is followed in real time, so that `late` and `input_ns` may change, and the input of a
            run cannot be repeated.
        senses: whether `sense` is called before each step.
        takes_over: whether the plans can take robots over in the middle of a run.
        wrenches: wrenches of the robots' wrists.
        quiet_ns: time before which `events` returns nothing and `ended` is false [ns].

    Raises:
        BadInput: if only some robots are recorded, or recordings were not made at the same time.
    """

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        begins_ns = start_times(plans)
        self._plans = tuple(_RobotPlan(name, plan, begins_ns[name]) for name, plan in plans.items())
        self._live = [p for plan in plans.values() for p in plan.parts if p.is_live]
        self.is_live = bool(self._live)
        self.limited: Sequence[str] = ()
        self.senses = any(plan.senses for plan in plans.values())
        self.takes_over = bool(plans) and all(plan.takes_over for plan in plans.values())
        self.driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.measured_efforts: Floats = np.zeros(0)
        self._mimics: Mimics | None = None
        self._initial: Floats = np.zeros(0)
        self._any_driven = False
        self._columns: list[tuple[_RobotPlan, slice]] = []
        self._single_plan = plans.get(ALL)
        self.quiet_ns = 0
        wrenches = ((entry, part.wrenches) for entry in self._plans for part in entry.plan.parts)
        self.wrenches = [
            RobotWrenches(entry.robot, entry.begin_ns, found) for entry, found in wrenches if found
        ]

    def __bool__(self) -> bool:
        """Whether there is any plan."""
        return bool(self._plans)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user; with several robots each note names its robot."""
        late = (
            f"robots.{entry.robot}: its recording begins {entry.begin_ns / 1e9:.3f} s after the first one"
            for entry in self._plans
            if entry.begin_ns
        )
        noted = (
            f"robots.{entry.robot}: {note}" if entry.robot else note
            for entry in self._plans
            for note in entry.plan.notes
        )
        return (*late, *noted)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings in the recordings; with several robots, joints have their scene's names."""
        return tuple(
            _with_scene_names(entry, finding)
            for entry in self._plans
            for finding in entry.plan.findings
        )

    @property
    def duration_ns(self) -> int | None:
        """End of the last plan in run time [ns]; None if unknown."""
        ends = [(entry.begin_ns, entry.plan.duration_ns) for entry in self._plans]
        known = [begin_ns + duration for begin_ns, duration in ends if duration is not None]
        return max(known) if known and len(known) == len(ends) else None

    @property
    def late(self) -> bool:
        """Live: whether the twin lags too far behind one of the robots."""
        return any(part.late for part in self._live)

    @property
    def input_ns(self) -> int | None:
        """Live: measurement time of the newest sample in the last motion [ns]; the minimum over the robots."""
        inputs = [part.input_ns for part in self._live]
        return min((time_ns for time_ns in inputs if time_ns is not None), default=None)

    def drive(self, robots: Sequence[Body], start: Mapping[str, float], period_ns: int) -> None:
        """Select the driven joints of the robots; called once, after `bind_base`.

        Args:
            robots: robots whose driven joints are commanded, in the order of the joints.
            start: initial positions that the scenario gives, by the joint's name in the scene; other joints start as
                near to zero as their limits permit.
            period_ns: duration of a step [ns].

        Raises:
            BadInput: if a plan moves no joint of its robot; the message names another robot that fits.
        """
        joints = [(joint_name(body, j), j) for body in robots for j in body.driven_joints]
        self.bind(
            [n for n, _ in joints], period_ns, {n: start.get(n, j.resting) for n, j in joints}
        )
        mimics = Mimics(robots, start, self.driven)
        self._mimics = mimics if mimics else None

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them a plan moves.

        Args:
            joints: names of all joints; those of a robot are consecutive.
            period_ns: duration of a step [ns].
            resting: name -> position of joints before anything moves them [rad or m]; 0 for others.
        """
        start = resting or {}
        self.driven = np.zeros(len(joints), np.bool_)
        self.measured_efforts = np.full(len(joints), np.nan)
        self._initial = np.array([start.get(name, 0.0) for name in joints])
        robots = [name.partition("::")[0] for name in joints]
        for entry in self._plans if joints else ():
            begin = robots.index(entry.robot) if entry.robot in robots else 0
            count = robots.count(entry.robot) if entry.robot else len(joints)
            columns = slice(begin, begin + count)
            names = [name.removeprefix(f"{entry.robot}::") for name in joints[columns]]
            self._check_unshared(entry, names, joints)
            self.driven[columns] = self._bind(entry, names, period_ns, entry.select(start))
            if names:
                self._columns.append((entry, columns))
        self._any_driven = bool(self.driven.any())
        return self.driven

    @staticmethod
    def _bind(
        entry: _RobotPlan, names: Sequence[str], period_ns: int, resting: Mapping[str, float]
    ) -> NDArray[np.bool_]:
        try:
            return entry.plan.bind(names, period_ns, resting)
        except BadInput as error:
            if not entry.robot:
                raise
            where = f"robots.{entry.robot}.source" + (f", {error.where}" if error.where else "")
            raise error.at(where, error.file) from None

    def _check_unshared(
        self, entry: _RobotPlan, names: Sequence[str], joints: Sequence[str]
    ) -> None:
        moved = set(entry.plan.joint_names)
        if moved & set(names):
            return
        for other in self._plans:
            foreign_joints = moved & other.select(dict.fromkeys(joints)).keys()
            if other is not entry and foreign_joints:
                raise BadInput(
                    f"this is the source of another robot: it moves joints of {other.robot}",
                    where=f"robots.{entry.robot}.source",
                    found=", ".join(sorted(foreign_joints)[:4]),
                    expected=f"some of {', '.join(names[:4])}",
                )

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select the motion of a robot's base; called before `drive`; see `Part.bind_base`.

        Raises:
            BadInput: if nothing moves the base, or its plan does not contain the base's motion.
        """
        entry = self._entry_of(robot.name)
        if entry is None:
            known = None if self else base.odometry
            raise BadInput(
                "nothing moves the base",
                where="robot.source" if self else "robot.base.odometry",
                found=known,
                expected=f"a source{'' if self else ' with this topic'}, or base: fixed",
            )
        if entry.robot:
            robot = replace(robot, one_of_several=False)  # a plan only knows its own robot
        entry.plan.bind_base(robot, base, period_ns)

    def base(self, robot: str, time_ns: int) -> BaseMotion:
        """Return the motion of a robot's base at a run time, which must not decrease."""
        entry = self._entry_of(robot)
        assert entry is not None  # bind_base has been called
        return entry.plan.base(max(0, time_ns - entry.begin_ns))

    def _entry_of(self, robot: str) -> _RobotPlan | None:
        return next((entry for entry in self._plans if entry.robot in (robot, ALL)), None)

    def set_scene_access(
        self, pose_of: Callable[[str], Floats], entities: Mapping[str, Entity]
    ) -> None:
        """Give the plans access to the main model's entities; see `Plan.set_scene_access`."""
        for entry in self._plans:
            entry.plan.set_scene_access(pose_of, entities)

    def take_over(self, time_ns: int, joints: Mapping[str, JointReading]) -> None:
        """Take the robots over in the middle of a run; see `Plan.take_over`."""
        self.quiet_ns = 0
        for entry in self._plans:
            entry.plan.take_over(time_ns, entry.select(joints))

    def start(self) -> bool:
        """Prepare the first step; returns whether a robot may have moved since the plans were bound."""
        started = [entry.plan.start() for entry in self._plans]
        return any(started)

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Let the plans read the robots' sensors; returns the first pose to which a base is moved, if any.

        Raises:
            RunFailed: if a plan fails at that time; the message names the robot.
        """
        placements = []
        for entry in self._plans:
            try:
                if entry.plan.senses:
                    placements.append(entry.plan.sense(time_ns, entry.select(joints), events))
            except RunFailed as error:
                raise entry.with_robot(error) from error
        return next((placement for placement in placements if placement is not None), None)

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of all joints at a time; before a recording starts, its robot rests in the first position.

        Efforts are 0 where none were recorded.

        Raises:
            RunFailed: if a plan fails at that time; the message names the robot.
        """
        if not self._any_driven:
            motion = self._resting(0.0)
        else:
            if self._single_plan is None:
                motion = self._combined_motion(time_ns)
            else:
                motion = self._single_plan.motion(time_ns)
                self.limited = self._single_plan.limited
            motion = self._with_known_efforts(motion)
        return motion if self._mimics is None else self._mimics.follow(motion)

    def _with_known_efforts(self, motion: JointMotion) -> JointMotion:
        self.measured_efforts = efforts = motion.efforts
        if math.isfinite(efforts.dot(efforts)):  # faster than testing each of them
            return motion
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        return JointMotion(q, v, a, np.where(efforts == efforts, efforts, 0.0))

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion] | None:
        """Return the motion of all joints at each of some times, with efforts only at the last one; see `motion`.

        None if `motion` must be called for each time, because joints may become limited in between.
        """
        if self._single_plan is None or self._mimics is not None or not self._any_driven:
            return None
        found = self._single_plan.motions(times_ns)
        return found and [*found[:-1], self._with_known_efforts(found[-1])]

    def _resting(self, efforts: float) -> JointMotion:
        zeros = np.zeros_like(self._initial)
        return JointMotion(self._initial.copy(), zeros, zeros.copy(), np.full(len(zeros), efforts))

    def _combined_motion(self, time_ns: int) -> JointMotion:
        joined = self._resting(math.nan)
        for entry, cols in self._columns:
            try:
                motion = entry.plan.motion(max(0, time_ns - entry.begin_ns))
            except RunFailed as error:
                raise entry.with_robot(error) from error
            joined.positions[cols], joined.velocities[cols] = motion.positions, motion.velocities
            joined.accelerations[cols], joined.efforts[cols] = motion.accelerations, motion.efforts
        self.limited = [entry.scene_name(n) for entry in self._plans for n in entry.plan.limited]
        return joined

    def has_efforts(self, time_ns: int) -> bool:
        """Whether there are recorded efforts at a time."""
        if self._any_driven:
            self.motion(time_ns)
        return self._any_driven and not bool(np.isnan(self.measured_efforts).all())

    def add_to_masters(self, efforts: Floats) -> Floats:
        """Add the efforts of mimicking joints to those of their masters; see `Mimics`."""
        return efforts if self._mimics is None else self._mimics.add_to_masters(efforts)

    def await_input(self, time_ns: int) -> None:
        """Wait, after the step that ends at a time, for the samples of a single live robot; see `quiet_ns`."""
        if self._single_plan is not None:
            for part in self._live:
                part.await_input(time_ns)
            self.quiet_ns = self._single_plan.quiet_ns

    def events(self, time_ns: int) -> list[Event]:
        """Return the events of all robots since the last call, in chronological order, then of the robots.

        Raises:
            RunFailed: if a plan fails; the message names the robot.
        """
        if self._single_plan is not None:
            found = self._single_plan.events(time_ns)
            self.quiet_ns = self._single_plan.quiet_ns
            return found
        found = []
        for entry in self._plans:
            if time_ns < entry.begin_ns:
                continue
            try:
                found += [
                    _with_robot(entry, e) for e in entry.plan.events(time_ns - entry.begin_ns)
                ]
            except RunFailed as error:
                if not found:
                    raise entry.with_robot(error) from error
        return sorted(found, key=lambda e: e.time_ns)

    def ended(self, time_ns: int) -> bool:
        """Whether all plans are over at `time_ns`; false if there is no plan."""
        if self._single_plan is not None:
            return self._single_plan.ended(time_ns)
        return self._plans != () and all(
            time_ns >= entry.begin_ns and entry.plan.ended(time_ns - entry.begin_ns)
            for entry in self._plans
        )

    def save(self) -> Plain:
        """Return the state of each plan."""
        return {entry.robot: entry.plan.save() for entry in self._plans}

    def restore(self, saved: Plain) -> None:
        """Continue from the saved state of each plan.

        Raises:
            StateError: if the state was saved for other robots.
        """
        robots = {entry.robot for entry in self._plans}
        if not isinstance(saved, dict) or saved.keys() != robots:
            raise StateError("the sources of other robots were saved")
        self.quiet_ns = 0
        for entry in self._plans:
            entry.plan.restore(saved[entry.robot])

    def close(self) -> None:
        """Close all plans."""
        for entry in self._plans:
            entry.plan.close()


def _with_robot(entry: _RobotPlan, event: Event) -> Event:
    """Convert an event to run time, and add the robot's name."""
    arguments = dict(event.arguments)
    if event.kind is not EventKind.TOPIC:
        arguments.setdefault(ROBOT, entry.robot)
    return replace(
        event,
        time_ns=event.time_ns + entry.begin_ns,
        source=f"{entry.robot}: {event.source}" if event.source else "",
        arguments=arguments,
    )


def _with_scene_names(entry: _RobotPlan, finding: Finding) -> Finding:
    arguments: dict[str, Json] = dict(finding.arguments)
    for key in _JOINT_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            arguments[key] = entry.scene_name(value)
        elif isinstance(value, list):
            arguments[key] = [entry.scene_name(str(joint)) for joint in value]
    return replace(
        finding,
        from_ns=finding.from_ns + entry.begin_ns,
        to_ns=finding.to_ns + entry.begin_ns,
        arguments=arguments,
    )
