"""Sends a rehearsed motion to a robot: reads its state, plans, rehearses, checks the state again, and executes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from hetwin_commanding.commanded import Group
from hetwin_commanding.consistency.live_robot import JointAge
from hetwin_commanding.consistency.model import JOINT_LIMIT
from hetwin_commanding.goals import GraspGoal, ReleaseGoal
from hetwin_commanding.link.base import BaseFix, seen_from
from hetwin_commanding.link.execution import Execution, Tip
from hetwin_commanding.link.ros_link import RosLink
from hetwin_commanding.plan import Plan
from hetwin_commanding.planning import START_TOLERANCE
from hetwin_commanding.rehearsal import Refusal, Rehearsal, Rule
from hetwin_commanding.send import Commander, Outcome, Result
from hetwin_suite.command import Interrupts
from hetwin_suite.model import BadInput
from hetwin_suite.robot import PlanarPose, chain_to

WAIT_S = 5.0
"""Maximum time to wait for the robot's state at the start [s]."""
_LOOK_S = 0.02
_LOCALIZATIONS = 8
"""Number of localizations to average before a grasp or release, if as many arrive within `WAIT_S`."""
DEVIATION = JOINT_LIMIT
"""Maximum deviation of a joint from its commanded position [rad or m]."""


def send(commander: Commander, namespace: str) -> Outcome:
    """Send the motion to the goals to a robot if the rehearsal breaks no rule.

    Args:
        commander: scenario and goals.
        namespace: namespace of the robot; empty for none.

    Raises:
        BadInput: if no robot is there, or a goal names something that the robot does not have.
        RunFailed: if the twin fails.
    """
    stop = threading.Event()
    controllers = [group.controller for group in commander.commanded.groups]
    base = commander.commanded.base
    with RosLink(namespace, controllers, stop, base, commander.twin.place) as link:
        _wait_for_joints(commander, link)
        place = _wait_for_base(commander, link)
        heard = link.heard.joints(time.monotonic())
        refused = stale(commander.commanded.names, heard)
        if refused:
            return Outcome(Rehearsal(0.0, tuple(refused)), Result.REFUSED)
        positions = {
            **commander.twin.resting,
            **{name: joint.position for name, joint in heard.items()},
        }
        plan, rehearsal = commander.rehearsed(positions, place)
        if not rehearsal.ok:
            return Outcome(rehearsal, Result.REFUSED)
        _wait_for_controllers(commander, plan, link)
        heard = link.heard.joints(time.monotonic())
        names = commander.commanded.names
        refused = [*stale(names, heard), *moved_since(positions, heard, names)]
        if plan.drives:
            refused += base_refusals(link.base.fix(), plan.place, time.monotonic())
        if refused:
            return Outcome(Rehearsal(rehearsal.duration, tuple(refused)), Result.REFUSED)
        if stop.is_set():
            return Outcome(rehearsal, Result.STOPPED)
        return _carry_out(commander, plan, rehearsal, positions, link, stop)


def _carry_out(
    commander: Commander,
    plan: Plan,
    rehearsal: Rehearsal,
    positions: dict[str, float],
    link: RosLink,
    stop: threading.Event,
) -> Outcome:
    limits = np.full(len(plan.names), DEVIATION)
    tip = _tip(commander, plan, positions)
    execution = Execution(
        plan,
        commander.commanded.groups,
        link,
        limits,
        tip,
        stop,
        base_speed=commander.commanded.base_speed,
    )
    with Interrupts(lambda _count, _number: stop.set()):
        result = execution.run()
    return Outcome(rehearsal, result, execution.sent, execution.consistency)


def _tip(commander: Commander, plan: Plan, positions: dict[str, float]) -> Tip | None:
    """Return the link of the last goal for a tip; without one, the last link of the first moved group."""
    links = [stage.link for stage in plan.stages if stage.link]
    child = {joint.name: joint.child for joint in commander.twin.robot.joints}
    links += [
        child[group.joints[-1]]
        for group in commander.commanded.groups
        if plan.moved & set(group.joints)
    ]
    return Tip(chain_to(commander.twin.robot, links[0]), positions) if links else None


def _missing(find: Callable[[], list[Any]], end: float) -> list[Any]:
    """Poll until nothing is missing or the deadline on the monotonic clock passes [s]; return what is missing."""
    while (missing := find()) and time.monotonic() < end:
        time.sleep(_LOOK_S)
    return missing


def _wait_for_joints(commander: Commander, link: RosLink) -> None:
    def unheard() -> list[str]:
        heard = link.heard.joints(time.monotonic())
        return [name for name in commander.commanded.names if name not in heard]

    missing = _missing(unheard, time.monotonic() + WAIT_S)
    if not missing:
        return
    group = next(g for g in commander.commanded.groups if set(g.joints) & set(missing))
    raise commander.placed(
        BadInput(
            "no robot says where these joints are",
            where=f"commands.groups.{group.name}.joints",
            found=", ".join(missing),
            expected=f"their positions on {link.states_topic} within {WAIT_S:g} s; --namespace names the robot's",
        )
    )


def _wait_for_base(commander: Commander, link: RosLink) -> PlanarPose | None:
    """Wait for the base's pose, and return it; None if the base is not commanded."""
    if commander.commanded.base is None:
        return None
    end = time.monotonic() + WAIT_S
    _missing(lambda: [] if link.base.fix() else ["base"], end)
    if any(isinstance(read.goal, GraspGoal | ReleaseGoal) for read in commander.goals):
        _missing(lambda: [0] * max(0, _LOCALIZATIONS - link.base.localized), end)
    fix = link.base.fix()
    if fix is None:
        raise commander.placed(
            BadInput(
                "no robot says where its base is",
                where="commands.base",
                found=commander.commanded.base,
                expected=f"odometry within {WAIT_S:g} s; --namespace names the robot's",
            )
        )
    return fix.pose


def _wait_for_controllers(commander: Commander, plan: Plan, link: RosLink) -> None:
    moved = [g for g in commander.commanded.groups if plan.moved & set(g.joints)]

    def alone() -> list[Group]:
        unheard = link.unheard()
        return [g for g in moved if any(g.controller in topic for topic in unheard)]

    missing = _missing(alone, time.monotonic() + WAIT_S)
    if not missing:
        return
    raise commander.placed(
        BadInput(
            "no robot listens to this controller's topic",
            where=f"commands.groups.{missing[0].name}.controller",
            found=missing[0].controller,
            expected="a controller that takes trajectory_msgs/msg/JointTrajectory on CONTROLLER/joint_trajectory",
        )
    )


STALE_S = 0.2
"""Maximum age of a state, by its arrival [s]."""
_BASE_TOLERANCE = 0.05
"""Maximum motion of a base between planning and execution [m and rad]; localization is not steadier."""


def stale(joints: Iterable[str], heard: Mapping[str, JointAge]) -> list[Refusal]:
    """Return a refusal for each joint whose last state is too old.

    Args:
        joints: joints to be commanded; each has been received at least once.
        heard: joint -> its last state.
    """
    return [
        Refusal(Rule.STALE, name, 0.0, round(heard[name].age, 3), STALE_S)
        for name in joints
        if heard[name].age > STALE_S
    ]


def moved_since(
    planned: Mapping[str, float], heard: Mapping[str, JointAge], joints: Iterable[str]
) -> list[Refusal]:
    """Return a refusal for each joint that has moved since the plan was made.

    Args:
        planned: joint -> position at the start of the plan [rad or m].
        heard: joint -> its last state.
        joints: joints to check.
    """
    apart = {
        name: abs(heard[name].position - planned[name])
        for name in joints
        if name in heard and name in planned
    }
    return [
        Refusal(Rule.START, name, 0.0, round(distance, 6), START_TOLERANCE)
        for name, distance in apart.items()
        if distance > START_TOLERANCE
    ]


def base_refusals(fix: BaseFix | None, planned: PlanarPose, now: float) -> list[Refusal]:
    """Return refusals if the base's state is too old, or the base has moved since the plan was made.

    Args:
        fix: present pose of the base; None: never received.
        planned: pose at the start of the plan.
        now: time on the monotonic clock [s].
    """
    age = None if fix is None else round(now - fix.arrived, 3)
    if fix is None or age is None or age > STALE_S:
        return [Refusal(Rule.STALE, "base", 0.0, age, STALE_S)]
    apart = seen_from(fix.pose, planned)
    distance = max(math.hypot(apart.x, apart.y), abs(apart.yaw))
    if distance > _BASE_TOLERANCE:
        return [Refusal(Rule.START, "base", 0.0, round(distance, 6), _BASE_TOLERANCE)]
    return []
