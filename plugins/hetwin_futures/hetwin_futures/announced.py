"""Turns the actions that a robot has announced into the plan of futures."""

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
    """An action that the robot has announced.

    Attributes:
        operation: name of the operation.
        arguments: arguments of the operation.
        start_ns: start in simulated time [ns].
        trajectory: motion of the joints from the start on, as a JointTrajectory in JSON; None if not announced.
    """

    operation: str
    arguments: Mapping[str, Json]
    start_ns: int
    trajectory: Mapping[str, Any] | None

    @property
    def end_ns(self) -> int:
        """End of the motion in simulated time [ns]; the start if there is no trajectory."""
        if self.trajectory is None:
            return self.start_ns
        return self.start_ns + round(_seconds(self.trajectory["points"][-1]) * 1e9)

    def as_step(self) -> dict[str, Any]:
        """Return the action as a step of a plan; without a trajectory a skill has to make the motion."""
        at = self.start_ns / 1e9
        if self.trajectory is not None:
            return {"trajectory": dict(self.trajectory), "at": at}
        return {"operation": self.operation, "arguments": dict(self.arguments), "at": at}


def announced_of(event: Event) -> Announced | None:
    """Return the action that an event announces; None if it announces none or its data are malformed."""
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
    """Return the plan of futures: the announced actions that are not over, by start, and then rest.

    Args:
        known: announced actions.
        now_ns: the moment [ns].
        until_ns: minimum end of the plan [ns].
    """
    steps = sorted(
        (action for action in known if action.trajectory is not None and action.end_ns > now_ns),
        key=lambda action: action.start_ns,
    )
    return {"plan": [step.as_step() for step in steps], "lasting": (until_ns - now_ns) / 1e9}


def end_of(known: Sequence[Announced]) -> int:
    """Return the end of the last announced action [ns]."""
    return max((action.end_ns for action in known), default=0)


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
        operation: name of the operation.
        arguments: arguments of the operation.
        effect_s: start of the action, as `time.time` of this machine [s].
    """

    operation: str
    arguments: Mapping[str, Json]
    effect_s: float


class Question(NamedTuple):
    """A request for a prediction.

    Attributes:
        checkpoint: checkpoint of the twin, without its source.
        source: plan of the announced actions.
        awaited: actions whose effects are predicted.
        begin_s: start of the first awaited action in simulated time [s]; until then the twin runs as it believes.
        horizon_s: duration of the futures from there on [s].
    """

    checkpoint: Checkpoint
    source: Mapping[str, Any]
    awaited: tuple[Awaited, ...]
    begin_s: float
    horizon_s: float
