"""What became of a goal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hetwin_suite.commanding.rehearsal import Rehearsal


class Result(StrEnum):
    """How a command to a robot ended."""

    REACHED = "reached"
    """The robot is where it was to go."""
    REFUSED = "refused"
    """Nothing was sent: a rule would have been broken."""
    STOPPED = "stopped"
    """The robot was stopped on the way, as asked."""
    DEVIATED = "deviated"
    """The robot did not do what the twin did, and was stopped."""
    LOST = "lost"
    """Nothing was heard of the robot any more."""
    REHEARSED = "rehearsed"
    """The motion breaks no rule; nothing was to be sent."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one `hetwin robot send`.

    Attributes:
        rehearsal: how the motion went in the twin.
        result: how it ended.
        sent: whether anything was sent to the robot.
        consistency: how robot and twin agreed on the way; None if nothing was sent.
    """

    rehearsal: Rehearsal
    result: Result
    sent: bool = False
    consistency: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether it went as asked."""
        return self.result in (Result.REACHED, Result.REHEARSED)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        return {
            "rehearsal": self.rehearsal.to_json(),
            "sent": self.sent,
            "result": self.result.value,
            "consistency": self.consistency,
        }
