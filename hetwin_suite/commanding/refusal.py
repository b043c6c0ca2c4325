"""Why a motion is not sent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hetwin_core.ensemble.events import Json


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
