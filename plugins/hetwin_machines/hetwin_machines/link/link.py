"""The link of a real and a virtual robot: each command to both, one answer back (Machines 2026, 14(3), 273, 3.4).

The layer above cannot see from its answers whether one robot, the other or both are there: the real robot's answer
counts, or the virtual one's where there is no real robot. A cycle treats, in this order: commands whose time is up,
new commands, answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from hetwin_machines.link.messages import (
    BOTH,
    ROBOTS,
    TIMEOUT,
    Alarm,
    Entry,
    Kind,
    Message,
    Reply,
    Side,
    State,
    Turn,
    motion_of,
)

_NOTHING = Turn((), (), (), ())


@dataclass
class _Open:
    """A command that is not closed, with the cycle and the text of each robot's answer."""

    command: Message
    sent: int
    motion: tuple[float | None, float | None]
    answers: dict[Side, tuple[int, str]] = field(default_factory=dict)
    has_reply: bool = False


@dataclass
class _Happened:
    replies: list[Reply] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    closed: list[_Open] = field(default_factory=list)


class Link:
    """Sends commands to a real and a virtual robot, and gives one answer to each.

    Args:
        period: of the cycles [s].
        timeout: an answer is in time up to so long after the command's cycle [s].
        has_real: whether there is a real robot.
        has_virtual: whether there is a virtual robot.

    Attributes:
        cycle: number of the next cycle, from 0.
        has_real: whether a real robot is waited for; may change while it runs.
        has_virtual: whether a virtual robot is waited for; may change while it runs.

    Raises:
        ValueError: if the period is not above 0, or the timeout below 0.
    """

    def __init__(
        self, period: float, timeout: float, *, has_real: bool = True, has_virtual: bool = True
    ) -> None:
        self._seconds = float(period)
        if self._period <= 0:
            raise ValueError(f"found a period of {period} s; expected more than 0")
        if timeout < 0:
            raise ValueError(f"found a timeout of {timeout} s; expected 0 or more")
        self._most = exact(timeout) // self._period
        self._open: dict[int, _Open] = {}
        self.cycle = 0
        self.has_real = has_real
        self.has_virtual = has_virtual

    @property
    def _period(self) -> Fraction:
        return exact(self._seconds)

    @property
    def is_idle(self) -> bool:
        """Whether no command is open."""
        return not self._open

    @property
    def open(self) -> tuple[int, ...]:
        """Ids of the commands that are open, in the order in which they were sent."""
        return tuple(self._open)

    @property
    def deadline(self) -> int | None:
        """The cycle in which the time of the first open command is up; None if none is open."""
        first = next(iter(self._open.values()), None)
        return None if first is None else first.sent + self._most + 1

    def cycle_of(self, time: float | Decimal) -> int:
        """Return the first cycle that begins at or after a time [s]."""
        return -(-exact(time) // self._period)

    def next(self, messages: Sequence[Message] = ()) -> Turn:
        """Take a cycle, with the messages that came since the one before; answers count in their order.

        Raises:
            ValueError: if a command has the id of one that is open, or is a motion without two numbers.
        """
        if not messages and not self._open:
            self.cycle += 1
            return _NOTHING
        happened = _Happened()
        self._end_what_is_late(happened)
        sent = tuple(message for message in messages if message.sender is Side.L1)
        for command in sent:
            self._send(command)
        for message in messages:
            if message.sender is not Side.L1:
                self._hear(message, happened)
        self._close(happened)
        entries = tuple(self._entry(each) for each in happened.closed)
        self.cycle += 1
        return Turn(sent, tuple(happened.replies), tuple(happened.alarms), entries)

    def _send(self, command: Message) -> None:
        if command.id in self._open:
            raise ValueError(f"found the id {command.id} of a command that is open; expected a new")
        self._open[command.id] = _Open(command, self.cycle, motion_of(command.text))

    def _hear(self, answer: Message, happened: _Happened) -> None:
        command = self._open.get(answer.id)
        if command is None or answer.sender in command.answers:
            alarm = Alarm(self.cycle, Kind.OUT_OF_CONTEXT, answer.sender.value, answer.id)
            happened.alarms.append(alarm)
            return
        command.answers[answer.sender] = self.cycle, answer.text
        if len({text for _, text in command.answers.values()}) > 1:
            happened.alarms.append(Alarm(self.cycle, Kind.INCONSISTENT, BOTH, answer.id))
        self._reply(command, happened)

    def _reply(self, command: _Open, happened: _Happened) -> None:
        """Give L1 the answer of the robot that counts, once."""
        if self._counting in command.answers and not command.has_reply:
            text = command.answers[self._counting][1]
            happened.replies.append(Reply(self.cycle, command.command.id, text))
            command.has_reply = True

    def _end_what_is_late(self, happened: _Happened) -> None:
        for id_, command in list(self._open.items()):
            if self.cycle - command.sent <= self._most:
                continue
            for side in self._awaited:
                if side not in command.answers:
                    happened.alarms.append(Alarm(self.cycle, Kind.TIMEOUT, side.value, id_))
            self._reply(command, happened)
            if not command.has_reply:
                happened.replies.append(Reply(self.cycle, id_, TIMEOUT))
            happened.closed.append(self._open.pop(id_))

    def _close(self, happened: _Happened) -> None:
        """Close the commands to which all robots have answered."""
        for id_, command in list(self._open.items()):
            if all(side in command.answers for side in self._awaited):
                self._reply(command, happened)  # if the robot that counts is another now
                happened.closed.append(self._open.pop(id_))

    @property
    def _counting(self) -> Side:
        """The robot whose answers go up."""
        return Side.REAL if self.has_real else Side.VIRTUAL

    @property
    def _awaited(self) -> tuple[Side, ...]:
        there = {Side.REAL: self.has_real, Side.VIRTUAL: self.has_virtual}
        return tuple(side for side in ROBOTS if there[side] or side is self._counting)

    def _entry(self, closed: _Open) -> Entry:
        cycles = {side: cycle for side, (cycle, _) in closed.answers.items()}
        laps = [float((cycle - closed.sent) * self._period) for cycle in sorted(cycles.values())]
        first, second, *_ = (*laps, None, None)
        rotation, displacement = closed.motion
        return Entry(
            id=closed.command.id,
            cycle=self.cycle,
            sent=closed.sent,
            state=state_of(cycles),
            rotation=rotation,
            displacement=displacement,
            lap1=first,
            lap2=second,
            D=self._waited(cycles),
        )

    def _waited(self, cycles: Mapping[Side, int]) -> int:
        """Cycles in which the real answer was there and the virtual one was not."""
        if Side.REAL not in cycles or not self.has_virtual:
            return 0
        return max(0, cycles.get(Side.VIRTUAL, self.cycle) - cycles[Side.REAL])


def state_of(cycles: Mapping[Side, int]) -> State:
    """Return who answered first, or alone, by the cycles of the answers."""
    if not cycles:
        return State.NONE
    if len(cycles) == 2 and cycles[Side.REAL] == cycles[Side.VIRTUAL]:
        return State.SYNC
    return (
        State.AHEAD if min(cycles, key=lambda side: cycles[side]) is Side.VIRTUAL else State.BEHIND
    )


def exact(value: float | Decimal) -> Fraction:
    """Return the fraction that a number's shortest text names, so that 1.1 s are 11 cycles of 0.1 s."""
    return Fraction(value if isinstance(value, Decimal) else repr(float(value)))
