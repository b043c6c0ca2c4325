"""Controls of a live run, independent of where the run is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from hetwin_core.ensemble.conductor.controls import OnDone
from hetwin_core.ensemble.events import Json

MAX_STEPS = 1_000_000
MAX_NAME = 300
"""Maximum length of a name of an entity, attribute or model in a message."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause the run before its next step."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Continue a paused run."""


@dataclass(frozen=True, slots=True)
class Step:
    """Step a paused run; `steps` None: until the next event."""

    steps: int | None


@dataclass(frozen=True, slots=True)
class SetPace:
    """Limit the run to a real-time factor; None: no limit."""

    factor: float | None


@dataclass(frozen=True, slots=True)
class HandOver:
    """Make a model responsible for an attribute of an entity at the next barrier."""

    entity: str
    attribute: str
    model: str


@dataclass(frozen=True, slots=True)
class Raise:
    """Raise an event; it is handled at the next barrier."""

    event: str
    arguments: Mapping[str, Json]


Control: TypeAlias = Pause | Resume | Step | SetPace | HandOver | Raise
"""The controls of a run."""


class RunControls(Protocol):
    """Controls a run."""

    def do(self, deed: Control, done: OnDone) -> None:
        """Request a control of the run, and return immediately.

        Args:
            deed: the control.
            done: called once, from any thread, with None when the request is carried out, or the reason of a refusal.
        """


class InvalidRequest(Exception):
    """A message that requests no control of a run; the text has the reason."""


def parse_control(message: Mapping[str, Any]) -> Control:
    """Parse the control that a message requests: key ``do``, and its arguments.

    Raises:
        InvalidRequest: if the message is invalid.
    """
    match message.get("do"):
        case "pause":
            return Pause()
        case "go_on":
            return Resume()
        case "step":
            return Step(_steps(message.get("steps")))
        case "pace":
            return SetPace(_factor(message.get("factor")))
        case "hand_over":
            return HandOver(*(_name(message, key) for key in ("entity", "attribute", "model")))
        case "raise":
            return Raise(_name(message, "event"), _mapping(message.get("arguments")))
    raise InvalidRequest("'do' must be one of pause, go_on, step, pace, hand_over, raise")


def _steps(found: Any) -> int | None:
    if found is None:
        return None
    if type(found) is not int or not 0 < found <= MAX_STEPS:
        raise InvalidRequest(f"'steps' must be a whole number from 1 to {MAX_STEPS}, or null")
    return found


def _factor(found: Any) -> float | None:
    if found is None:
        return None
    if type(found) not in (int, float) or not (math.isfinite(found) and found > 0):
        raise InvalidRequest("'factor' must be a number above 0, or null")
    return float(found)


def _mapping(found: Any) -> dict[str, Json]:
    if not isinstance(found, dict):
        raise InvalidRequest("'arguments' must be an object")
    return found


def _name(message: Mapping[str, Any], key: str) -> str:
    found = message.get(key)
    if not isinstance(found, str) or not 0 < len(found) <= MAX_NAME:
        raise InvalidRequest(f"{key!r} must be a name")
    return found
