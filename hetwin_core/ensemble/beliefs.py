"""Beliefs of the robot: the fields of ``hetwin/msg/Belief``, and the events that carry them through a run.

Beliefs fire no trigger, reach no model and are not part of the digest: the twin never takes a belief for the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.scene.values import WORLD

LOC = "loc"
"""Fluent of a belief about a pose."""
PERCEPT = "percept"
"""Origin of beliefs that come from perception."""
MAX_NORM_DEVIATION = 0.1
"""Maximum deviation of a quaternion's norm from 1."""
_PROBLEM = "problem"
_POSE_SIZE = 7

Pose: TypeAlias = tuple[float, ...]
"""x y z [m], qw qx qy qz; empty for a belief without a pose."""


class BeliefFields(NamedTuple):
    """The fields of the message, without its stamp.

    Attributes:
        fluent: e.g. ``held``; ``loc`` for a pose.
        arguments: one or two entities.
        holds: whether the robot believes the fluent to be true; always true for a pose.
        frame: frame of the pose.
        pose: pose of the first entity.
        confidence: confidence of a percept, 0 to 1.
        origin: source of the belief.
    """

    fluent: str
    arguments: tuple[str, ...]
    holds: bool = True
    frame: str = WORLD
    pose: Pose = ()
    confidence: float = 1.0
    origin: str = ""


def belief_event(fields: BeliefFields, time_ns: int, source: str) -> Event:
    """Return the event of a belief: its name is the fluent, the fields are its arguments.

    Args:
        fields: fields of the message; the quaternion is normalized.
        time_ns: time from which the robot has the belief.
        source: name of the reporter.

    Raises:
        ValueError: if there is no fluent or no entity, or the pose or the confidence is invalid.
    """
    if not fields.fluent:
        raise ValueError("the belief has no fluent")
    if not 1 <= len(fields.arguments) <= 2 or not all(fields.arguments):
        raise ValueError(
            f"{fields.fluent} of {list(fields.arguments)}; expected one entity, or two"
        )
    if (fields.fluent == LOC) != bool(fields.pose):
        expected = "a pose of 7 numbers" if fields.fluent == LOC else f"no pose; {LOC} has one"
        raise ValueError(f"{fields.fluent} with {len(fields.pose)} numbers; expected {expected}")
    if not 0.0 <= fields.confidence <= 1.0:
        raise ValueError(f"a confidence of {fields.confidence}; expected 0 to 1")
    arguments: dict[str, Json] = {
        "fluent": fields.fluent,
        "arguments": list(fields.arguments),
        "holds": fields.holds,
        "frame": fields.frame,
        "pose": list(normalized_pose(fields.pose)) if fields.pose else [],
        "confidence": fields.confidence,
        "origin": fields.origin or source,
    }
    return Event(fields.fluent, time_ns, EventKind.BELIEF, source, 0, arguments)


def belief_fields(event: Event) -> BeliefFields:
    """Return the fields of a belief from its event; the inverse of `belief_event`."""
    found = event.arguments
    entities, pose, confidence = found["arguments"], found["pose"], found["confidence"]
    assert isinstance(entities, list)
    assert isinstance(pose, list)
    assert isinstance(confidence, float | int)
    return BeliefFields(
        str(found["fluent"]),
        tuple(map(str, entities)),
        bool(found["holds"]),
        str(found["frame"]),
        tuple(float(number) for number in pose if isinstance(number, float | int)),
        float(confidence),
        str(found["origin"]),
    )


def message_fields(message: Any) -> BeliefFields:
    """Return the fields of a decoded ``hetwin/msg/Belief``, from any decoder; the fluent ``pose`` becomes `LOC`."""
    fluent, pose = str(message.fluent), tuple(map(float, message.pose))
    return BeliefFields(
        LOC if fluent == "pose" else fluent,
        tuple(map(str, message.arguments)),
        bool(message.holds) or bool(pose),
        str(message.frame),
        pose,
        float(message.confidence),
        str(message.origin),
    )


def invalid_belief_event(problem: str, time_ns: int, source: str) -> Event:
    """Return the event of a message that holds no valid belief, with the reason; the run reports it and continues."""
    return Event(_PROBLEM, time_ns, EventKind.BELIEF, source, 0, {_PROBLEM: problem})


def belief_problem(event: Event) -> str:
    """Return the reason why a message holds no valid belief; empty if it holds one."""
    return str(event.arguments.get(_PROBLEM, ""))


def normalized_pose(numbers: Sequence[float]) -> Pose:
    """Return a pose with a normalized quaternion.

    Args:
        numbers: (7,) x y z [m], qw qx qy qz.

    Raises:
        ValueError: if the numbers are not a pose.
    """
    if len(numbers) != _POSE_SIZE:
        raise ValueError(f"a pose of {len(numbers)} numbers; expected x y z qw qx qy qz")
    if not all(map(math.isfinite, numbers)):
        raise ValueError(f"the pose {[float(n) for n in numbers]}; expected finite numbers")
    x, y, z, *quaternion = map(float, numbers)
    norm = math.hypot(*quaternion)
    if abs(norm - 1.0) > MAX_NORM_DEVIATION:
        raise ValueError(f"a quaternion of norm {norm:.3g}; expected 1")
    return (x, y, z, *(part / norm for part in quaternion))
