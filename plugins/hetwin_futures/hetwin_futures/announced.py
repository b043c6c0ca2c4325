"""What a robot has announced, as the plan of futures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from hetwin_suite.model import (
    ANNOUNCED,
    ANNOUNCED_START,
    ANNOUNCED_TRAJECTORY,
    Event,
    EventKind,
    Json,
    action_arguments,
    phase_of,
)
from hetwin_suite.runs import Checkpoint


@dataclass(frozen=True, slots=True)
class Announced:
    """An action that was announced.

    Attributes:
        operation: its name.
        arguments: its own.
        start_ns: when it will begin, in simulated time [ns].
        trajectory: how the joints move then, as a JointTrajectory in JSON; None if the robot did not say it.
    """

    operation: str
    arguments: Mapping[str, Json]
    start_ns: int
    trajectory: Mapping[str, Any] | None

    @property
    def end_ns(self) -> int:
        """When its motion is over [ns]; when it begins if it has none."""
        if self.trajectory is None:
            return self.start_ns
        return self.start_ns + round(_seconds(self.trajectory["points"][-1]) * 1e9)

    def as_step(self) -> dict[str, Any]:
        """Return it as a step of a plan; without a trajectory a skill is to make the motion."""
        at = self.start_ns / 1e9
        if self.trajectory is not None:
            return {"trajectory": dict(self.trajectory), "at": at}
        return {"operation": self.operation, "arguments": dict(self.arguments), "at": at}


def announced_of(event: Event) -> Announced | None:
    """Return what an event announces; None if it announces nothing, or says it so that it cannot be used."""
    if event.kind is not EventKind.ACTION or phase_of(event) != ANNOUNCED:
        return None
    arguments = action_arguments(event)
    start, trajectory = (
        arguments.pop(ANNOUNCED_START, 0.0),
        arguments.pop(ANNOUNCED_TRAJECTORY, None),
    )
    if not isinstance(start, int | float) or isinstance(start, bool) or start < 0.0:
        return None
    if trajectory is not None and not _is_trajectory(trajectory):
        return None
    start_ns = event.time_ns + round(start * 1e9)
    return Announced(event.name, arguments, start_ns, trajectory)  # type: ignore[arg-type]


def plan_of(known: Sequence[Announced], now_ns: int, until_ns: int) -> dict[str, Any]:
    """Return the source of futures: what was announced, as far as it is not over, by time; then the robot rests.

    Args:
        known: what was announced.
        now_ns: the moment [ns].
        until_ns: until when it is to last at least [ns].
    """
    steps = sorted(
        (one for one in known if one.trajectory is not None and one.end_ns > now_ns),
        key=lambda one: one.start_ns,
    )
    return {"plan": [one.as_step() for one in steps], "lasting": (until_ns - now_ns) / 1e9}


def end_of(known: Sequence[Announced]) -> int:
    """Return when all that was announced is over [ns]."""
    return max((one.end_ns for one in known), default=0)


def _is_trajectory(value: Json) -> bool:
    points = value.get("points") if isinstance(value, dict) else None
    if not isinstance(points, list) or not points:
        return False
    return all(isinstance(point, dict) and "time_from_start" in point for point in points)


def _seconds(point: Mapping[str, Any]) -> float:
    time = point["time_from_start"]
    if isinstance(time, Mapping):
        return float(time.get("sec", 0)) + float(time.get("nanosec", 0)) * 1e-9
    return float(time)


class Awaited(NamedTuple):
    """An action that was announced and has not begun.

    Attributes:
        operation: its name.
        arguments: its own.
        effect_s: when it begins, by `time.time` of this machine [s].
    """

    operation: str
    arguments: Mapping[str, Json]
    effect_s: float


class Question(NamedTuple):
    """A prediction that is asked for.

    Attributes:
        checkpoint: checkpoint of the twin, without its source.
        source: what the robot has announced, as a plan.
        awaited: the actions whose effects are predicted.
        begin_s: when the first of them begins, in simulated time; until then the twin goes on as it believes [s].
        horizon_s: how long futures go on from there [s].
    """

    checkpoint: Checkpoint
    source: Mapping[str, Any]
    awaited: tuple[Awaited, ...]
    begin_s: float
    horizon_s: float
