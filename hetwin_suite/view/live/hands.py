"""Controls of a run that goes on, whatever the run is and wherever it runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from hetwin_core.ensemble.conductor.controls import Done
from hetwin_core.ensemble.events import Json

MOST_STEPS = 1_000_000
MOST_LETTERS = 300
"""Longest name of an entity, attribute or model in a message."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Hold the run before its next step."""


@dataclass(frozen=True, slots=True)
class GoOn:
    """Let a paused run continue."""


@dataclass(frozen=True, slots=True)
class Step:
    """Let a paused run take some steps; None: up to the next one in which an event happens."""

    steps: int | None


@dataclass(frozen=True, slots=True)
class HoldTo:
    """Hold the run to so many times real time; None: let it go as fast as it can."""

    factor: float | None


@dataclass(frozen=True, slots=True)
class HandOver:
    """Make a model responsible for an attribute of an entity at the next barrier."""

    entity: str
    attribute: str
    model: str


@dataclass(frozen=True, slots=True)
class Raise:
    """Raise an event, which is handled at the next barrier."""

    event: str
    arguments: Mapping[str, Json]


Deed: TypeAlias = Pause | GoOn | Step | HoldTo | HandOver | Raise
"""The controls of a run."""


class Hands(Protocol):
    """Takes a run in hand."""

    def do(self, deed: Deed, done: Done) -> None:
        """Do something to the run; returns at once, and `done` is called once, from any thread."""


class NotADeed(Exception):
    """A message asks for something unknown; the text has the reason."""


def deed_of(message: Mapping[str, Any]) -> Deed:
    """The deed that a message asks for: ``do``, and its arguments.

    Raises:
        NotADeed: if it asks for none.
    """
    match message.get("do"):
        case "pause":
            return Pause()
        case "go_on":
            return GoOn()
        case "step":
            return Step(_steps(message.get("steps")))
        case "pace":
            return HoldTo(_factor(message.get("factor")))
        case "hand_over":
            return HandOver(*(_name(message, key) for key in ("entity", "attribute", "model")))
        case "raise":
            return Raise(_name(message, "event"), _mapping(message.get("arguments")))
    raise NotADeed("'do' must be one of pause, go_on, step, pace, hand_over, raise")


def _steps(found: Any) -> int | None:
    if found is None:
        return None
    if type(found) is not int or not 0 < found <= MOST_STEPS:
        raise NotADeed(f"'steps' must be a whole number from 1 to {MOST_STEPS}, or null")
    return found


def _factor(found: Any) -> float | None:
    if found is None:
        return None
    if type(found) not in (int, float) or not (math.isfinite(found) and found > 0):
        raise NotADeed("'factor' must be a number above 0, or null")
    return float(found)


def _mapping(found: Any) -> dict[str, Json]:
    if not isinstance(found, dict):
        raise NotADeed("'arguments' must be an object")
    return found


def _name(message: Mapping[str, Any], key: str) -> str:
    found = message.get(key)
    if not isinstance(found, str) or not 0 < len(found) <= MOST_LETTERS:
        raise NotADeed(f"{key!r} must be a name")
    return found
