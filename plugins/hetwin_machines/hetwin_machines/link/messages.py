"""The messages on the link, and the records made of them."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Side(StrEnum):
    """The senders of messages."""

    L1 = "l1"
    REAL = "real"
    VIRTUAL = "virtual"


ROBOTS = (Side.REAL, Side.VIRTUAL)
"""The sides that answer commands."""
BOTH = "both"
"""Side of an alarm that concerns both robots."""
TIMEOUT = "timeout"
"""Reply to L1 if a command was not answered in time."""


class State(StrEnum):
    """Which robot answered a command first: the virtual one (ahead), the real one (behind), both (sync) or none."""

    AHEAD = "AHEAD"
    BEHIND = "BEHIND"
    SYNC = "SYNC"
    NONE = "NONE"


class Kind(StrEnum):
    """Kinds of alarms."""

    TIMEOUT = "timeout"
    INCONSISTENT = "inconsistent"
    OUT_OF_CONTEXT = "out_of_context"
    MALFORMED = "malformed"


class Message(NamedTuple):
    """A command of L1, or a robot's answer to a command.

    Attributes:
        sender: sender of the message.
        id: id of the command.
        text: text of the command, such as ``1 rotation displacement``, or of the answer.
    """

    sender: Side
    id: int
    text: str


class Reply(NamedTuple):
    """The reply to L1 for a command: the answer of the leading robot, or `TIMEOUT`."""

    cycle: int
    id: int
    text: str


class Alarm(NamedTuple):
    """A problem with the answers to a command; `side` is real, virtual or both, `id` is -1 if unknown."""

    cycle: int
    kind: Kind
    side: str
    id: int


class Entry(NamedTuple):
    """The record of a closed command.

    Attributes:
        id: id of the command.
        cycle: cycle in which the command was closed.
        sent: cycle in which the command was sent.
        state: which robot answered first.
        rotation: commanded rotation; None if the command is not a motion.
        displacement: commanded displacement; None if the command is not a motion.
        lap1: time from the command to the first answer [s]; None if there was none.
        lap2: time from the command to the second answer [s]; None if there was none.
        D: number of cycles in which the real robot had answered and the virtual one had not.
    """

    id: int
    cycle: int
    sent: int
    state: State
    rotation: float | None
    displacement: float | None
    lap1: float | None
    lap2: float | None
    D: int

    @property
    def lap_real(self) -> float | None:
        """Time from the command to the real robot's answer [s]."""
        return self.lap2 if self.state is State.AHEAD else self.lap1

    @property
    def lap_virtual(self) -> float | None:
        """Time from the command to the virtual robot's answer [s]."""
        return self.lap2 if self.state is State.BEHIND else self.lap1


class CycleResult(NamedTuple):
    """The result of a cycle of the link.

    Attributes:
        sent: commands to be sent to both robots.
        replies: replies to be sent to L1.
        alarms: alarms raised.
        entries: records of the closed commands, in the order in which these were sent.
    """

    sent: tuple[Message, ...]
    replies: tuple[Reply, ...]
    alarms: tuple[Alarm, ...]
    entries: tuple[Entry, ...]


def motion_of(text: str) -> tuple[float | None, float | None]:
    """Return rotation and displacement of a command; None for both if it is not a motion.

    Raises:
        ValueError: if the command has the code ``1`` of a motion, but not exactly two finite numbers.
    """
    code, *words = text.split() or [""]
    if code != "1":
        return None, None
    try:
        rotation, displacement = (float(word) for word in words)
    except ValueError:
        rotation = displacement = float("nan")
    if rotation - rotation != 0 or displacement - displacement != 0:
        raise ValueError(f"found {text!r}; expected 1 rotation displacement, two finite numbers")
    return rotation, displacement
