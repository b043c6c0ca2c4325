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
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.part import (
    BaseMotion,
    JointMotion,
    JointNow,
    Mimics,
    Placement,
)
from model_nodes.main_physics.sources.plan import Plan, begins_of
from model_nodes.main_physics.sources.wrenches import Felt
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

    def scoped(self, name: str) -> str:
        """The scene's name of one of the robot's joints."""
        return f"{self.robot}::{name}" if self.robot else name

    def own_values(self, of_all: Mapping[str, Value]) -> Mapping[str, Value]:
        """Select the values of the robot's joints, by the robot's own names."""
        if not self.robot:
            return of_all
        scope = f"{self.robot}::"
        return {n.removeprefix(scope): v for n, v in of_all.items() if n.startswith(scope)}

    def failed(self, error: RunFailed) -> RunFailed:
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
        felt: wrenches of the robots' wrists.
        quiet_ns: time before which `events` returns nothing and `ended` is false [ns].

    Raises:
        BadInput: if only some robots are recorded, or recordings were not made at the same time.
    """

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        begins_ns = begins_of(plans)
        self._own = tuple(_RobotPlan(name, plan, begins_ns[name]) for name, plan in plans.items())
        self._live = [p for plan in plans.values() for p in plan.parts if p.is_live]
        self.is_live = bool(self._live)
        self.limited: Sequence[str] = ()
        self.senses = any(plan.senses for plan in plans.values())
        self.takes_over = bool(plans) and all(plan.takes_over for plan in plans.values())
        self.driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.measured_efforts: Floats = np.zeros(0)
        self._mimics: Mimics | None = None
        self._rest: Floats = np.zeros(0)
        self._any_driven = False
        self._placed: list[tuple[_RobotPlan, slice]] = []
        self._only = plans.get(ALL)
        self.quiet_ns = 0
        felt = ((own, part.wrenches) for own in self._own for part in own.plan.parts)
        self.felt = [Felt(own.robot, own.begin_ns, found) for own, found in felt if found]

    def __bool__(self) -> bool:
        """Whether there is any plan."""
        return bool(self._own)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user; with several robots each note names its robot."""
        late = (
            f"robots.{own.robot}: its recording begins {own.begin_ns / 1e9:.3f} s after the first one"
            for own in self._own
            if own.begin_ns
        )
        noted = (
            f"robots.{own.robot}: {note}" if own.robot else note
            for own in self._own
            for note in own.plan.notes
        )
        return (*late, *noted)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings in the recordings; with several robots, joints have their scene's names."""
        return tuple(_named(own, finding) for own in self._own for finding in own.plan.findings)

    @property
    def duration_ns(self) -> int | None:
        """End of the last plan in run time [ns]; None if unknown."""
        ends = [(own.begin_ns, own.plan.duration_ns) for own in self._own]
        known = [begin_ns + lasts for begin_ns, lasts in ends if lasts is not None]
        return max(known) if known and len(known) == len(ends) else None

    @property
    def late(self) -> bool:
        """Live: whether the twin lags too far behind one of the robots."""
        return any(part.late for part in self._live)

    @property
    def input_ns(self) -> int | None:
        """Live: measurement time of the newest sample in the last motion [ns]; the minimum over the robots."""
        inputs = [part.input_ns for part in self._live]
        return min((one for one in inputs if one is not None), default=None)

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
        at = resting or {}
        self.driven = np.zeros(len(joints), np.bool_)
        self.measured_efforts = np.full(len(joints), np.nan)
        self._rest = np.array([at.get(name, 0.0) for name in joints])
        robots = [name.partition("::")[0] for name in joints]
        for own in self._own if joints else ():
            begin = robots.index(own.robot) if own.robot in robots else 0
            count = robots.count(own.robot) if own.robot else len(joints)
            columns = slice(begin, begin + count)
            names = [name.removeprefix(f"{own.robot}::") for name in joints[columns]]
            self._check_unshared(own, names, joints)
            self.driven[columns] = self._bound(own, names, period_ns, own.own_values(at))
            if names:
                self._placed.append((own, columns))
        self._any_driven = bool(self.driven.any())
        return self.driven

    @staticmethod
    def _bound(
        own: _RobotPlan, names: Sequence[str], period_ns: int, resting: Mapping[str, float]
    ) -> NDArray[np.bool_]:
        try:
            return own.plan.bind(names, period_ns, resting)
        except BadInput as error:
            if not own.robot:
                raise
            where = f"robots.{own.robot}.source" + (f", {error.where}" if error.where else "")
            raise error.at(where, error.file) from None

    def _check_unshared(self, own: _RobotPlan, names: Sequence[str], joints: Sequence[str]) -> None:
        moved = set(own.plan.joint_names)
        if moved & set(names):
            return
        for other in self._own:
            strange = moved & other.own_values(dict.fromkeys(joints)).keys()
            if other is not own and strange:
                raise BadInput(
                    f"this is the source of another robot: it moves joints of {other.robot}",
                    where=f"robots.{own.robot}.source",
                    found=", ".join(sorted(strange)[:4]),
                    expected=f"some of {', '.join(names[:4])}",
                )

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Select the motion of a robot's base; called before `drive`; see `Part.bind_base`.

        Raises:
            BadInput: if nothing moves the base, or its plan does not contain the base's motion.
        """
        own = self._of(robot.name)
        if own is None:
            known = None if self else base.odometry
            raise BadInput(
                "nothing moves the base",
                where="robot.source" if self else "robot.base.odometry",
                found=known,
                expected=f"a source{'' if self else ' with this topic'}, or base: fixed",
            )
        if own.robot:
            robot = replace(robot, one_of_several=False)  # a plan only knows its own robot
        own.plan.bind_base(robot, base, period_ns)

    def base(self, robot: str, time_ns: int) -> BaseMotion:
        """Return the motion of a robot's base at a run time, which must not decrease."""
        own = self._of(robot)
        assert own is not None  # bind_base has been called
        return own.plan.base(max(0, time_ns - own.begin_ns))

    def _of(self, robot: str) -> _RobotPlan | None:
        return next((own for own in self._own if own.robot in (robot, ALL)), None)

    def use_places(self, pose_of: Callable[[str], Floats], entities: Mapping[str, Entity]) -> None:
        """Give the plans access to the main model's entities; see `Plan.use_places`."""
        for own in self._own:
            own.plan.use_places(pose_of, entities)

    def take_over(self, time_ns: int, joints: Mapping[str, JointNow]) -> None:
        """Take the robots over in the middle of a run; see `Plan.take_over`."""
        self.quiet_ns = 0
        for own in self._own:
            own.plan.take_over(time_ns, own.own_values(joints))

    def start(self) -> bool:
        """Prepare the first step; returns whether a robot may have moved since the plans were bound."""
        started = [own.plan.start() for own in self._own]
        return any(started)

    def sense(
        self, time_ns: int, joints: Mapping[str, float], events: Sequence[Event]
    ) -> Placement | None:
        """Let the plans read the robots' sensors; returns the first pose to which a base is moved, if any.

        Raises:
            RunFailed: if a plan fails at that time; the message names the robot.
        """
        placements = []
        for own in self._own:
            try:
                if own.plan.senses:
                    placements.append(own.plan.sense(time_ns, own.own_values(joints), events))
            except RunFailed as error:
                raise own.failed(error) from error
        return next((one for one in placements if one is not None), None)

    def motion(self, time_ns: int) -> JointMotion:
        """Return the motion of all joints at a time; before a recording starts, its robot rests in the first position.

        Efforts are 0 where none were recorded.

        Raises:
            RunFailed: if a plan fails at that time; the message names the robot.
        """
        if not self._any_driven:
            motion = self._resting(0.0)
        else:
            if self._only is None:
                motion = self._joined(time_ns)
            else:
                motion = self._only.motion(time_ns)
                self.limited = self._only.limited
            motion = self._with_known_efforts(motion)
        return motion if self._mimics is None else self._mimics.follow(motion)

    def _with_known_efforts(self, motion: JointMotion) -> JointMotion:
        self.measured_efforts = efforts = motion.efforts
        if math.isfinite(efforts.dot(efforts)):  # faster than testing each of them
            return motion
        at, speed, acceleration = motion.positions, motion.velocities, motion.accelerations
        return JointMotion(at, speed, acceleration, np.where(efforts == efforts, efforts, 0.0))

    def motions(self, times_ns: Sequence[int]) -> Sequence[JointMotion] | None:
        """Return the motion of all joints at each of some times, with efforts only at the last one; see `motion`.

        None if `motion` must be called for each time, because joints may become limited in between.
        """
        if self._only is None or self._mimics is not None or not self._any_driven:
            return None
        found = self._only.motions(times_ns)
        return found and [*found[:-1], self._with_known_efforts(found[-1])]

    def _resting(self, efforts: float) -> JointMotion:
        zeros = np.zeros_like(self._rest)
        return JointMotion(self._rest.copy(), zeros, zeros.copy(), np.full(len(zeros), efforts))

    def _joined(self, time_ns: int) -> JointMotion:
        joined = self._resting(math.nan)
        for own, at in self._placed:
            try:
                motion = own.plan.motion(max(0, time_ns - own.begin_ns))
            except RunFailed as error:
                raise own.failed(error) from error
            joined.positions[at], joined.velocities[at] = motion.positions, motion.velocities
            joined.accelerations[at], joined.efforts[at] = motion.accelerations, motion.efforts
        self.limited = [own.scoped(name) for own in self._own for name in own.plan.limited]
        return joined

    def has_efforts(self, time_ns: int) -> bool:
        """Whether there are recorded efforts at a time."""
        if self._any_driven:
            self.motion(time_ns)
        return self._any_driven and not bool(np.isnan(self.measured_efforts).all())

    def of_masters(self, efforts: Floats) -> Floats:
        """Add the efforts of mimicking joints to those of their masters; see `Mimics`."""
        return efforts if self._mimics is None else self._mimics.of_masters(efforts)

    def events(self, time_ns: int) -> list[Event]:
        """Return the events of all robots since the last call, in the order of time, then of the robots.

        Raises:
            RunFailed: if a plan fails; the message names the robot.
        """
        if self._only is not None:
            found = self._only.events(time_ns)
            self.quiet_ns = self._only.quiet_ns
            return found
        found = []
        for own in self._own:
            if time_ns < own.begin_ns:
                continue
            try:
                found += [_of(own, event) for event in own.plan.events(time_ns - own.begin_ns)]
            except RunFailed as error:
                if not found:
                    raise own.failed(error) from error
        return sorted(found, key=lambda event: event.time_ns)

    def ended(self, time_ns: int) -> bool:
        """Whether all plans are over at `time_ns`; false if there is no plan."""
        if self._only is not None:
            return self._only.ended(time_ns)
        return self._own != () and all(
            time_ns >= own.begin_ns and own.plan.ended(time_ns - own.begin_ns) for own in self._own
        )

    def save(self) -> Plain:
        """Return the state of each plan."""
        return {own.robot: own.plan.save() for own in self._own}

    def restore(self, saved: Plain) -> None:
        """Continue from the saved state of each plan.

        Raises:
            Unsaveable: if the state was saved for other robots.
        """
        robots = {own.robot for own in self._own}
        if not isinstance(saved, dict) or saved.keys() != robots:
            raise Unsaveable("the sources of other robots were saved")
        self.quiet_ns = 0
        for own in self._own:
            own.plan.restore(saved[own.robot])

    def close(self) -> None:
        """Close all plans."""
        for own in self._own:
            own.plan.close()


def _of(own: _RobotPlan, event: Event) -> Event:
    """Convert an event to run time, and add the robot's name."""
    arguments = dict(event.arguments)
    if event.kind is not EventKind.TOPIC:
        arguments.setdefault(ROBOT, own.robot)
    return replace(
        event,
        time_ns=event.time_ns + own.begin_ns,
        source=f"{own.robot}: {event.source}" if event.source else "",
        arguments=arguments,
    )


def _named(own: _RobotPlan, finding: Finding) -> Finding:
    arguments: dict[str, Json] = dict(finding.arguments)
    for key in _JOINT_KEYS:
        value = arguments.get(key)
        if isinstance(value, str):
            arguments[key] = own.scoped(value)
        elif isinstance(value, list):
            arguments[key] = [own.scoped(str(joint)) for joint in value]
    return replace(
        finding,
        from_ns=finding.from_ns + own.begin_ns,
        to_ns=finding.to_ns + own.begin_ns,
        arguments=arguments,
    )
