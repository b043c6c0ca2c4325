"""Play a table of timed messages through the link."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from hetwin_machines.link.link import Link
from hetwin_machines.link.messages import (
    ROBOTS,
    Alarm,
    CycleResult,
    Entry,
    Message,
    Reply,
    Side,
    motion_of,
)
from hetwin_machines.table import INTEGER, TableError

COLUMNS = ("time", "from", "id", "message")
_MAX_TIME = Decimal(10**9)


class TimedMessage(NamedTuple):
    """A message and the time at which it was sent [s]."""

    time: Decimal
    message: Message


class PlayResult(NamedTuple):
    """The results of playing a table of messages."""

    entries: tuple[Entry, ...]
    replies: tuple[Reply, ...]
    alarms: tuple[Alarm, ...]


def play(
    messages: Iterable[TimedMessage], period: float, timeout: float, *, has_real: bool | None = None
) -> PlayResult:
    """Play messages until all commands are closed.

    A message is handled in the first cycle that begins at or after its time. Cycles in which nothing can happen are
    skipped.

    Args:
        messages: messages in any order.
        period: period of the cycles [s].
        timeout: time allowed for an answer, from the cycle of the command [s].
        has_real: whether there is a real robot; by default, if one of the messages is from it.

    Raises:
        ValueError: if the period is not positive or the timeout negative.
    """
    rows = sorted(messages, key=lambda row: row.time)
    if has_real is None:
        has_real = any(row.message.sender is Side.REAL for row in rows)
    link = Link(period, timeout, has_real=has_real)
    results = []
    for cycle, rows_of_cycle in itertools.groupby(rows, key=lambda row: link.cycle_of(row.time)):
        while link.deadline is not None and link.deadline < cycle:
            results.append(_run_cycle(link, link.deadline))
        results.append(_run_cycle(link, cycle, [row.message for row in rows_of_cycle]))
    while link.deadline is not None:
        results.append(_run_cycle(link, link.deadline))
    return PlayResult(
        tuple(entry for result in results for entry in result.entries),
        tuple(reply for result in results for reply in result.replies),
        tuple(alarm for result in results for alarm in result.alarms),
    )


def _run_cycle(link: Link, cycle: int, messages: Sequence[Message] = ()) -> CycleResult:
    """Skip to a cycle and execute it."""
    link.cycle = cycle
    return link.next(messages)


def read_messages(lines: Iterable[str]) -> list[TimedMessage]:
    """Return the messages of a table with the columns time, from, id and message; the rows may be in any order.

    Raises:
        TableError: if a column is missing or unknown, a value is invalid, or two commands have the same id.
    """
    rows = csv.reader(lines)
    header = [name.strip() for name in next(rows, [])]
    if sorted(header) != sorted(COLUMNS):
        raise TableError(f"line 1: found {','.join(header)!r}; expected {','.join(COLUMNS)}")
    messages: list[TimedMessage] = []
    commands: dict[int, int] = {}
    for cells in rows:
        if not cells:
            continue
        if len(cells) != len(header):
            found = f"found {len(cells)} columns; expected {len(header)}"
            raise TableError(f"line {rows.line_num}: {found}: {', '.join(header)}")
        row = _message(dict(zip(header, map(str.strip, cells), strict=True)), rows.line_num)
        id_ = row.message.id
        if row.message.sender is Side.L1:
            if id_ in commands:
                found = f"found {id_}, the id of the command in line {commands[id_]}"
                raise TableError(f"line {rows.line_num}, column id: {found}; expected a new id")
            commands[id_] = rows.line_num
        messages.append(row)
    return messages


def _message(row: dict[str, str], line: int) -> TimedMessage:
    senders = [str(side) for side in Side]
    if row["from"] not in senders:
        expected = f"expected one of {', '.join(senders)}"
        raise TableError(f"line {line}, column from: found {row['from']!r}; {expected}")
    if not INTEGER.match(row["id"]):
        raise TableError(f"line {line}, column id: found {row['id']!r}; expected a whole number")
    sender = Side(row["from"])
    if sender not in ROBOTS:
        try:
            motion_of(row["message"])
        except ValueError as error:
            raise TableError(f"line {line}, column message: {error}") from None
    return TimedMessage(_time(row["time"], line), Message(sender, int(row["id"]), row["message"]))


def _time(text: str, line: int) -> Decimal:
    try:
        time = Decimal(text)
    except InvalidOperation:
        time = Decimal("nan")
    if not 0 <= time < _MAX_TIME if time.is_finite() else True:
        found = f"found {text!r}; expected seconds, 0 or more"
        raise TableError(f"line {line}, column time: {found}")
    return time
