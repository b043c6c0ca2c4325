"""Rehearses a plan in the twin, and says which rules it breaks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from hetwin_commanding.commanded import Commanded
from hetwin_commanding.plan import TOUCHING_M, Look, Plan
from hetwin_commanding.twin import Twin
from hetwin_suite.engine import Body, frame_name
from hetwin_suite.model import Floats, Json
from hetwin_suite.source import Commands

_SETTLED_S = 0.05
"""Outcomes are looked at so long after the end of their stage, which is before the twin's rest is over [s]."""
_EPSILON = 1e-4
"""Less than this is no difference between two distances or places [m]."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """How a plan went in the twin.

    Attributes:
        duration: duration of the plan [s].
        refused: the rules that it breaks, the first break of each by each joint, link or pair.
    """

    duration: float
    refused: tuple[Refusal, ...]

    @property
    def ok(self) -> bool:
        """Whether the plan may be sent."""
        return not self.refused

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        return {
            "ok": self.ok,
            "duration": round(self.duration, 3),
            "refused": [refusal.to_json() for refusal in self.refused],
        }


def rehearse(
    plan: Plan,
    twin: Twin,
    commanded: Commanded,
    commands: Commands,
    positions: Mapping[str, float],
) -> Rehearsal:
    """Check a plan against the limits of its joints, then step the twin along it.

    Args:
        plan: the motion.
        twin: twin of the scenario.
        commanded: the joints, with their limits.
        commands: clearance and workspace.
        positions: where all joints of the robot are at the start, by name [rad or m].

    Raises:
        RunFailed: if the twin fails.
    """
    refused = joint_refusals(plan, commanded)
    if refused or not plan.stages:  # what cannot be driven is not worth a look at what it hits
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
    """Whether everything stays apart.

    Pairs that touch at the start may go on to touch; pairs that are nearer than the clearance then may not come nearer.
    What the robot touches without being fixed to the world is held, and must keep its distance like a link.
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
    """Whether what the goals ask for objects has come about at the end of each."""

    def __init__(self, plan: Plan) -> None:
        self._open = [stage for stage in plan.stages if stage.expects is not None]
        self.refused: list[Refusal] = []

    def check(self, look: Look) -> None:
        while self._open and look.time >= self._open[0].end + _SETTLED_S:
            expected = self._open.pop(0).expects
            assert expected is not None  # it was chosen by that
            found = expected.missed(look)
            if found is not None:
                what, wanted = expected.what, expected.wanted
                self.refused.append(Refusal(Rule.OUTCOME, what, look.time, found, wanted))


class _Box:
    """Whether the ends of what moves stay in the workspace; what begins outside may come in, but not go further out."""

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
                assert self._box is not None  # else there would be no bounds
                found: list[Json] = [round(x, 4) for x in here.tolist()]
                self.refused.append(
                    Refusal(Rule.WORKSPACE, link, look.time, found, self._box.tolist())
                )


def _ends(plan: Plan, commanded: Commanded, robot: Body) -> tuple[str, ...]:
    """Frames of the links that the workspace holds: those at the ends of groups, those of goals, the base."""
    child = {joint.name: joint.child for joint in robot.joints}
    moved = plan.moved
    links = [child[group.joints[-1]] for group in commanded.groups if moved & set(group.joints)]
    links += [stage.link for stage in plan.stages if stage.link]
    links += [robot.links[0].name] if plan.drives else []
    return tuple(dict.fromkeys(frame_name(robot, link) for link in links))


class Rule(StrEnum):
    """What a motion may not break."""

    UNREACHABLE = "unreachable"
    """No positions of the joints within their limits bring the link to the pose."""
    POSITION = "position"
    """A joint stays within its limits."""
    VELOCITY = "velocity"
    """A joint stays below its limit of speed times the scenario's `speed`."""
    WORKSPACE = "workspace"
    """What moves stays in the scenario's box."""
    COLLISION = "collision"
    """The robot and what it holds keep the scenario's clearance."""
    OUTCOME = "outcome"
    """What a goal asks for an object comes about."""
    STALE = "stale"
    """The robot has just said where it is."""
    START = "start"
    """The motion begins where the robot is."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule that a motion breaks.

    Attributes:
        what: the joint, the link, or the pair of entities.
        at: time of the motion at which it is broken first [s].
        found, allowed: in SI units.
    """

    rule: Rule
    what: str
    at: float
    found: Json
    allowed: Json

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON."""
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
"""Between the looks at a motion [s]."""
_ROUNDING = 1e-6
"""Beyond a limit by less is rounding [rad or m]; relative for velocities."""


def joint_refusals(plan: Plan, commanded: Commanded) -> list[Refusal]:
    """Return where a plan first leaves the limits of each joint, of position and of velocity.

    A joint that stands beyond a limit at the start may stay there and come back, but not go further.
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
    """For each joint that breaks a rule at some time: when first, and its worst value."""
    for i in np.flatnonzero(broken.any(axis=0)).tolist():
        at = float(times[int(broken[:, i].argmax())])
        bad = values[broken[:, i], i]
        middle = float(plan.start[i]) if rule is Rule.POSITION else 0.0
        worst = float(bad[np.abs(bad - middle).argmax()])
        yield Refusal(rule, plan.names[i], at, round(worst, 6), allowed[i])


def _ranges(commanded: Commanded) -> list[Json]:
    limits = zip(commanded.lower.tolist(), commanded.upper.tolist(), strict=True)
    return [
        [None if np.isinf(lower) else lower, None if np.isinf(upper) else upper]
        for lower, upper in limits
    ]
