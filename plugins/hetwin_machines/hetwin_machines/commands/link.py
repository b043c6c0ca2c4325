"""`hetwin machines link`: the link of a real and a virtual robot, by a table of messages."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_suite.command import BadInput, Result, lines_of, write_text

if TYPE_CHECKING:
    from hetwin_machines.link.messages import Entry
    from hetwin_machines.link.playback import PlayResult


def link(
    table: Annotated[
        Path,
        typer.Argument(metavar="CSV", help="messages with the columns time, from, id, message"),
    ],
    period: Annotated[float, typer.Option(metavar="S", help="period of the cycles [s]")],
    timeout: Annotated[
        float, typer.Option(metavar="S", help="maximum time from a command to its answers [s]")
    ],
    real: Annotated[
        bool | None,
        typer.Option(
            "--real/--no-real", help="there is a real robot; default: if it sends anything"
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV", help="write a row for each command, for hetwin calibrate travel"
        ),
    ] = None,
) -> Result:
    """Play messages through the link: each command of L1 is sent to both robots, and L1 gets one answer.

    A row is a message from l1, real or virtual; a motion command is `1 rotation displacement`. A message is processed
    in the first cycle that begins at or after it. A command is AHEAD if the virtual robot answered first, BEHIND if the
    real one did, SYNC if both answered in the same cycle, NONE if neither answered in time.

    Example: hetwin machines link scenarios/networks/messages.csv --period 0.05 --timeout 5
    """
    from hetwin_machines.link.logger import Logger
    from hetwin_machines.link.playback import play, read_messages
    from hetwin_machines.network_files import find_table
    from hetwin_machines.table import TableError

    _check(period, timeout)
    lines = lines_of(find_table(table), "a table with the columns time, from, id, message")
    try:
        played = play(read_messages(lines), period, timeout, has_real=real)
    except TableError as error:
        raise BadInput(str(error), file=table) from None
    if log is not None:
        logger, text = Logger(period), io.StringIO()
        logger.add(played.entries, played.alarms)
        logger.write(text)
        write_text(log, text.getvalue(), where="--log")
    return Result(_to_json(played), _table_lines(played))


def _check(period: float, timeout: float) -> None:
    if not 0.0 < period < float("inf"):
        raise BadInput(
            "not a valid period", where="--period", found=period, expected="more than 0 s"
        )
    if not 0.0 <= timeout < float("inf"):
        raise BadInput("not a valid time", where="--timeout", found=timeout, expected="0 s or more")


def _to_json(played: PlayResult) -> dict[str, Any]:
    alarms = [alarm._asdict() for alarm in played.alarms]
    replies = [{"cycle": r.cycle, "id": r.id, "message": r.text} for r in played.replies]
    entries = [
        {
            "id": e.id,
            "cycle": e.cycle,
            "state": e.state,
            "rotation": e.rotation,
            "displacement": e.displacement,
            "lap1": e.lap1,
            "lap2": e.lap2,
            "D": e.D,
        }
        for e in played.entries
    ]
    return {"entries": entries, "replies": replies, "alarms": alarms}


def _table_lines(played: PlayResult) -> Iterator[str]:
    texts = {reply.id: reply.text for reply in played.replies}
    yield "    id  cycle  state   rotation  displacement  lap1 [s]  lap2 [s]     D  answer to L1"
    for e in played.entries:
        yield (
            f"{e.id:6d} {e.cycle:6d}  {e.state:6} {_number(e.rotation):>9} "
            f"{_number(e.displacement):>13} {_lap(e, 0):>9} {_lap(e, 1):>9} {e.D:5d}  {texts[e.id]}"
        )
    for alarm in played.alarms:
        yield f"alarm in cycle {alarm.cycle}: {alarm.kind}, {alarm.side}, command {alarm.id}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _lap(entry: Entry, which: int) -> str:
    lap = (entry.lap1, entry.lap2)[which]
    return "-" if lap is None else f"{lap:.3f}"
