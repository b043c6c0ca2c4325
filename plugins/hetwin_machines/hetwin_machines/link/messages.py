"""What passes the link, and what it keeps of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Side(StrEnum):
    """Who sends a message."""

    L1 = "l1"
    REAL = "real"
    VIRTUAL = "virtual"


ROBOTS = (Side.REAL, Side.VIRTUAL)
"""The sides that answer."""
BOTH = "both"
"""Side of an alarm that concerns both robots."""
TIMEOUT = "timeout"
"""Text that L1 gets for a command that was not answered in time."""


class State(StrEnum):
    """Who answered a command first."""

    AHEAD = "AHEAD"
    BEHIND = "BEHIND"
    SYNC = "SYNC"
    NONE = "NONE"


class Kind(StrEnum):
    """What an alarm is about."""

    TIMEOUT = "timeout"
    INCONSISTENT = "inconsistent"
    OUT_OF_CONTEXT = "out_of_context"
    MALFORMED = "malformed"


class Message(NamedTuple):
    """A command of L1, or a robot's answer to one.

    Attributes:
        sender: who sent it.
        id: of the command.
        text: the command, such as ``1 rotation displacement``, or the answer.
    """

    sender: Side
    id: int
    text: str


class Reply(NamedTuple):
    """What L1 gets for a command: the answer of the robot that counts, or `TIMEOUT`."""

    cycle: int
    id: int
    text: str


class Alarm(NamedTuple):
    """What was wrong with the answers to a command; `side` is real, virtual or both, `id` -1 where it is not known."""

    cycle: int
    kind: Kind
    side: str
    id: int


class Entry(NamedTuple):
    """What the logger keeps of a command.

    Attributes:
        id: of the command.
        cycle: in which the command was closed.
        sent: cycle in which it was sent.
        state: who answered first.
        rotation: that was commanded; None if the command is no motion.
        displacement: that was commanded; None if the command is no motion.
        lap1: from the command to the first answer [s]; None if there was none.
        lap2: from the command to the second answer [s]; None if there was none.
        D: cycles in which the real answer was there and the virtual one was not.
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
        """From the command to the real robot's answer [s]."""
        return self.lap2 if self.state is State.AHEAD else self.lap1

    @property
    def lap_virtual(self) -> float | None:
        """From the command to the virtual robot's answer [s]."""
        return self.lap2 if self.state is State.BEHIND else self.lap1


class Turn(NamedTuple):
    """What a cycle of the link brought.

    Attributes:
        sent: commands that go to both robots.
        replies: what goes to L1.
        alarms: what was wrong.
        entries: of the commands that were closed, in the order in which they were sent.
    """

    sent: tuple[Message, ...]
    replies: tuple[Reply, ...]
    alarms: tuple[Alarm, ...]
    entries: tuple[Entry, ...]


def motion_of(text: str) -> tuple[float | None, float | None]:
    """Return rotation and displacement of a command; None for both if it is no motion.

    Raises:
        ValueError: if the command is ``1`` without two finite numbers.
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
