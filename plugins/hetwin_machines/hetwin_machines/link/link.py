"""The link to a real and a virtual robot: commands go to both, one answer returns (Machines 2026, 14(3), 273, 3.4).

From the answers, the layer above (L1) cannot tell whether the real robot, the virtual one or both are connected: it
gets the answer of the real robot, or that of the virtual one if there is no real robot. A cycle handles, in this order,
commands that have timed out, new commands and answers.
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
    CycleResult,
    Entry,
    Kind,
    Message,
    Reply,
    Side,
    State,
    motion_of,
)

_EMPTY = CycleResult((), (), (), ())


@dataclass
class _OpenCommand:
    """An open command, with the cycle and the text of each robot's answer."""

    command: Message
    sent: int
    motion: tuple[float | None, float | None]
    answers: dict[Side, tuple[int, str]] = field(default_factory=dict)
    has_reply: bool = False


@dataclass
class _Results:
    replies: list[Reply] = field(default_factory=list)
    alarms: list[Alarm] = field(default_factory=list)
    closed: list[_OpenCommand] = field(default_factory=list)


class Link:
    """Sends commands to a real and a virtual robot, and gives one answer to each command.

    Args:
        period: period of the cycles [s].
        timeout: time allowed for an answer, from the cycle of the command [s].
        has_real: whether there is a real robot.
        has_virtual: whether there is a virtual robot.

    Attributes:
        cycle: number of the next cycle, starting at 0.
        has_real: whether the link waits for the real robot; may be changed at any time.
        has_virtual: whether the link waits for the virtual robot; may be changed at any time.

    Raises:
        ValueError: if the period is not positive or the timeout negative.
    """

    def __init__(
        self, period: float, timeout: float, *, has_real: bool = True, has_virtual: bool = True
    ) -> None:
        self._seconds = float(period)
        if self._period <= 0:
            raise ValueError(f"found a period of {period} s; expected more than 0")
        if timeout < 0:
            raise ValueError(f"found a timeout of {timeout} s; expected 0 or more")
        self._max_cycles = exact(timeout) // self._period
        self._open: dict[int, _OpenCommand] = {}
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
        """Ids of the open commands, in the order in which they were sent."""
        return tuple(self._open)

    @property
    def deadline(self) -> int | None:
        """The cycle in which the first open command times out; None if no command is open."""
        first = next(iter(self._open.values()), None)
        return None if first is None else first.sent + self._max_cycles + 1

    def cycle_of(self, time: float | Decimal) -> int:
        """Return the first cycle that begins at or after a time [s]."""
        return -(-exact(time) // self._period)

    def next(self, messages: Sequence[Message] = ()) -> CycleResult:
        """Execute a cycle with the messages that have arrived since the previous one, in the order of arrival.

        Raises:
            ValueError: if a command has the id of an open one, or is a motion without two finite numbers.
        """
        if not messages and not self._open:
            self.cycle += 1
            return _EMPTY
        results = _Results()
        self._time_out(results)
        sent = tuple(message for message in messages if message.sender is Side.L1)
        for command in sent:
            self._send(command)
        for message in messages:
            if message.sender is not Side.L1:
                self._take_answer(message, results)
        self._close(results)
        entries = tuple(self._entry(each) for each in results.closed)
        self.cycle += 1
        return CycleResult(sent, tuple(results.replies), tuple(results.alarms), entries)

    def _send(self, command: Message) -> None:
        if command.id in self._open:
            raise ValueError(f"found the id {command.id} of an open command; expected a new id")
        self._open[command.id] = _OpenCommand(command, self.cycle, motion_of(command.text))

    def _take_answer(self, answer: Message, results: _Results) -> None:
        command = self._open.get(answer.id)
        if command is None or answer.sender in command.answers:
            alarm = Alarm(self.cycle, Kind.OUT_OF_CONTEXT, answer.sender.value, answer.id)
            results.alarms.append(alarm)
            return
        command.answers[answer.sender] = self.cycle, answer.text
        if len({text for _, text in command.answers.values()}) > 1:
            results.alarms.append(Alarm(self.cycle, Kind.INCONSISTENT, BOTH, answer.id))
        self._reply(command, results)

    def _reply(self, command: _OpenCommand, results: _Results) -> None:
        """Reply to L1 once, with the answer of the leading robot."""
        if self._leading in command.answers and not command.has_reply:
            text = command.answers[self._leading][1]
            results.replies.append(Reply(self.cycle, command.command.id, text))
            command.has_reply = True

    def _time_out(self, results: _Results) -> None:
        for id_, command in list(self._open.items()):
            if self.cycle - command.sent <= self._max_cycles:
                continue
            for side in self._awaited:
                if side not in command.answers:
                    results.alarms.append(Alarm(self.cycle, Kind.TIMEOUT, side.value, id_))
            self._reply(command, results)
            if not command.has_reply:
                results.replies.append(Reply(self.cycle, id_, TIMEOUT))
            results.closed.append(self._open.pop(id_))

    def _close(self, results: _Results) -> None:
        """Close the commands that all robots have answered."""
        for id_, command in list(self._open.items()):
            if all(side in command.answers for side in self._awaited):
                self._reply(command, results)  # in case the leading robot has changed
                results.closed.append(self._open.pop(id_))

    @property
    def _leading(self) -> Side:
        """The robot whose answers are passed to L1."""
        return Side.REAL if self.has_real else Side.VIRTUAL

    @property
    def _awaited(self) -> tuple[Side, ...]:
        connected = {Side.REAL: self.has_real, Side.VIRTUAL: self.has_virtual}
        return tuple(side for side in ROBOTS if connected[side] or side is self._leading)

    def _entry(self, closed: _OpenCommand) -> Entry:
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
            D=self._waiting_cycles(cycles),
        )

    def _waiting_cycles(self, cycles: Mapping[Side, int]) -> int:
        """Return the number of cycles between the real robot's answer and the later answer of the virtual one."""
        if Side.REAL not in cycles or not self.has_virtual:
            return 0
        return max(0, cycles.get(Side.VIRTUAL, self.cycle) - cycles[Side.REAL])


def state_of(cycles: Mapping[Side, int]) -> State:
    """Return which robot answered first, given the cycles of the answers."""
    if not cycles:
        return State.NONE
    if len(cycles) == 2 and cycles[Side.REAL] == cycles[Side.VIRTUAL]:
        return State.SYNC
    return (
        State.AHEAD if min(cycles, key=lambda side: cycles[side]) is Side.VIRTUAL else State.BEHIND
    )


def exact(value: float | Decimal) -> Fraction:
    """Return the decimal fraction a number is written as, so that 1.1 s are exactly 11 cycles of 0.1 s."""
    return Fraction(value if isinstance(value, Decimal) else repr(float(value)))
