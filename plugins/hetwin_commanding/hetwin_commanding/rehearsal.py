"""Rehearses a plan in the twin, and reports the rules that it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from hetwin_commanding.commanded import JointSet
from hetwin_commanding.plan import TOUCHING_M, Look, Plan
from hetwin_commanding.twin import Twin
from hetwin_suite.engine import Body, frame_name
from hetwin_suite.model import Floats, Json
from hetwin_suite.source import Commands

_SETTLED_S = 0.05
"""Delay of the check of outcomes after the end of their stage, shorter than the twin's rest [s]."""
_EPSILON = 1e-4
"""Tolerance for equal distances or positions [m]."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The result of a rehearsal.

    Attributes:
        duration: duration of the plan [s].
        refused: broken rules, the first violation for each joint, link or pair.
    """

    duration: float
    refused: tuple[Refusal, ...]

    @property
    def ok(self) -> bool:
        """Whether the plan may be sent."""
        return not self.refused

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "ok": self.ok,
            "duration": round(self.duration, 3),
            "refused": [refusal.to_json() for refusal in self.refused],
        }


def rehearse(
    plan: Plan,
    twin: Twin,
    commanded: JointSet,
    commands: Commands,
    positions: Mapping[str, float],
) -> Rehearsal:
    """Check a plan against joint limits, and then simulate it in the twin.

    Args:
        plan: plan to rehearse.
        twin: twin of the scenario.
        commanded: commanded joints with their limits.
        commands: clearance and workspace of the scenario.
        positions: joint -> initial position, of all joints of the robot [rad or m].

    Raises:
        RunFailed: if the twin's main model fails.
    """
    refused = joint_refusals(plan, commanded)
    if refused or not plan.stages:  # collisions of an infeasible plan do not matter
        return Rehearsal(plan.duration, tuple(refused))
    distances = _Distances(commands.clearance, plan)
    box = _Box(commands, _ends(plan, commanded, twin.robot))
    outcomes = _Outcomes(plan)
    for look in twin.looks(plan, positions, max(commands.clearance, 2.0 * TOUCHING_M)):
        if look.time <= 0.0:
            distances.begin(look)
            box.begin(look)
        else:
            distances.check(look)
            box.check(look)
            outcomes.check(look)
    found = sorted(
        (*distances.refused, *box.refused, *outcomes.refused), key=lambda refusal: refusal.at
    )
    return Rehearsal(plan.duration, tuple(found))


class _Distances:
    """Checks that bodies keep their distance.

    Pairs that touch at the start may continue to touch; pairs closer than the clearance at the start may not come
    closer. A movable object that the robot touches counts as held, and must keep its distance like a link.
    """

    def __init__(self, clearance: float, plan: Plan) -> None:
        self._clearance, self._plan = clearance, plan
        self._at_start: Mapping[tuple[str, str], float] = {}
        self.refused: list[Refusal] = []
        self._seen: set[frozenset[str]] = set()

    def begin(self, look: Look) -> None:
        self._at_start = look.near

    def check(self, look: Look) -> None:
        stage = self._plan.stage_at(look.time)
        for pair, distance in look.near.items():
            if distance >= self._clearance or frozenset(pair) in self._seen:
                continue
            if stage.touches & set(pair):
                continue
            before = self._at_start.get(pair, self._clearance)
            if before <= TOUCHING_M or distance >= before - _EPSILON:
                continue
            self._seen.add(frozenset(pair))
            allowed = round(min(self._clearance, before), 6)
            what = " and ".join(pair)
            self.refused.append(
                Refusal(Rule.COLLISION, what, look.time, round(distance, 6), allowed)
            )


class _Outcomes:
    """Checks the effects that goals want for objects, at the end of each stage."""

    def __init__(self, plan: Plan) -> None:
        self._open = [stage for stage in plan.stages if stage.expects is not None]
        self.refused: list[Refusal] = []

    def check(self, look: Look) -> None:
        while self._open and look.time >= self._open[0].end + _SETTLED_S:
            expected = self._open.pop(0).expects
            assert expected is not None  # stages were selected by it
            found = expected.missed(look)
            if found is not None:
                what, wanted = expected.what, expected.wanted
                self.refused.append(Refusal(Rule.OUTCOME, what, look.time, found, wanted))


class _Box:
    """Checks that tips stay in the workspace; one that starts outside may return, but not move further out."""

    def __init__(self, commands: Commands, links: tuple[str, ...]) -> None:
        self._box = None if commands.workspace is None else np.array(commands.workspace)
        self._links = links
        self._bounds: dict[str, Floats] = {}
        self.refused: list[Refusal] = []

    def begin(self, look: Look) -> None:
        if self._box is None:
            return
        for link in self._links:
            here = look.poses[link][:3]
            lower, upper = self._box
            self._bounds[link] = np.array([np.minimum(lower, here), np.maximum(upper, here)])

    def check(self, look: Look) -> None:
        for link, (lower, upper) in list(self._bounds.items()):
            here = look.poses[link][:3]
            if ((here < lower - _EPSILON) | (here > upper + _EPSILON)).any():
                del self._bounds[link]
                assert self._box is not None  # otherwise there are no bounds
                found: list[Json] = [round(x, 4) for x in here.tolist()]
                self.refused.append(
                    Refusal(Rule.WORKSPACE, link, look.time, found, self._box.tolist())
                )


def _ends(plan: Plan, commanded: JointSet, robot: Body) -> tuple[str, ...]:
    """Return the frames that must stay in the workspace: ends of groups, links of goals, and the base."""
    child = {joint.name: joint.child for joint in robot.joints}
    moved = plan.moved
    links = [child[group.joints[-1]] for group in commanded.groups if moved & set(group.joints)]
    links += [stage.link for stage in plan.stages if stage.link]
    links += [robot.links[0].name] if plan.drives else []
    return tuple(dict.fromkeys(frame_name(robot, link) for link in links))


class Rule(StrEnum):
    """A rule for motions."""

    UNREACHABLE = "unreachable"
    """No joint positions within the limits reach the pose."""
    POSITION = "position"
    """Joints stay within their position limits."""
    VELOCITY = "velocity"
    """Joints stay below their speed limits times the scenario's `speed`."""
    WORKSPACE = "workspace"
    """Moving tips stay in the scenario's box."""
    COLLISION = "collision"
    """The robot and held objects keep the scenario's clearance."""
    OUTCOME = "outcome"
    """The effect that a goal wants for an object comes about."""
    STALE = "stale"
    """The robot's state is recent."""
    START = "start"
    """The motion starts at the robot's present state."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A violation of a rule.

    Attributes:
        what: joint, link, or pair of entities.
        at: time of the first violation in the motion [s].
        found, allowed: values in SI units.
    """

    rule: Rule
    what: str
    at: float
    found: Json
    allowed: Json

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "rule": self.rule.value,
            "what": self.what,
            "at": round(self.at, 3),
            "found": self.found,
            "allowed": self.allowed,
        }

    def __str__(self) -> str:
        return f"{self.rule.value}: {self.what} at {self.at:.2f} s: {self.found}, allowed {self.allowed}"


_PERIOD = 0.002
"""Sampling period of a motion [s]."""
_ROUNDING = 1e-6
"""Tolerance for rounding at a limit [rad or m]; relative for velocities."""


def joint_refusals(plan: Plan, commanded: JointSet) -> list[Refusal]:
    """Return the first violation of each joint's position and velocity limits.

    A joint that starts beyond a limit may stay there or return, but not move further.
    """
    times = np.linspace(0.0, plan.duration, max(2, int(plan.duration / _PERIOD) + 1))
    positions, velocities, _ = plan.sample(times)
    lower = np.minimum(commanded.lower, plan.start) - _ROUNDING
    upper = np.maximum(commanded.upper, plan.start) + _ROUNDING
    outside = (positions < lower) | (positions > upper)
    fast = np.abs(velocities) > commanded.speed * (1.0 + _ROUNDING)
    return [
        *_first(outside, times, positions, plan, Rule.POSITION, _ranges(commanded)),
        *_first(fast, times, np.abs(velocities), plan, Rule.VELOCITY, commanded.speed.tolist()),
    ]


def _first(
    broken: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    times: Floats,
    values: Floats,
    plan: Plan,
    rule: Rule,
    allowed: list[Json],
) -> Iterator[Refusal]:
    """Yield a refusal for each joint that breaks a rule, with the time of the first violation and the worst value."""
    for i in np.flatnonzero(broken.any(axis=0)).tolist():
        at = float(times[int(broken[:, i].argmax())])
        bad = values[broken[:, i], i]
        middle = float(plan.start[i]) if rule is Rule.POSITION else 0.0
        worst = float(bad[np.abs(bad - middle).argmax()])
        yield Refusal(rule, plan.names[i], at, round(worst, 6), allowed[i])


def _ranges(commanded: JointSet) -> list[Json]:
    limits = zip(commanded.lower.tolist(), commanded.upper.tolist(), strict=True)
    return [
        [None if np.isinf(lower) else lower, None if np.isinf(upper) else upper]
        for lower, upper in limits
    ]
