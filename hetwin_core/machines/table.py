"""Reads a table of inputs and events, a row for each step; part of the written code too."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence

from hetwin_core.machines.expressions.operations import LIMIT, Value

WHOLE = re.compile(r"[-+]?\d+\Z")
TRUTHS = {"true": True, "false": False}


class TableError(ValueError):
    """A table that cannot be used; its text says line, column, what was found and what was expected."""


def read_rows(
    lines: Iterable[str], inputs: Sequence[str], events: Sequence[str]
) -> Iterator[dict[str, Value]]:
    """Yield the values of each row; an empty cell of an input leaves it as it was.

    Raises:
        TableError: if a column is missing or unknown, or a value is none.
    """
    rows = csv.reader(lines)
    header = [name.strip() for name in next(rows, [])]
    check_header(header, inputs, events)
    for cells in rows:
        if not cells:
            continue
        if len(cells) != len(header):
            found = f"found {len(cells)} columns; expected {len(header)}"
            raise TableError(f"line {rows.line_num}: {found}: {', '.join(header)}")
        row: dict[str, Value] = {}
        for name, cell in zip(header, cells, strict=True):
            where = f"line {rows.line_num}, column {name}"
            if name in events:
                row[name] = event_of(cell.strip(), where)
            elif cell.strip():
                row[name] = value_of(cell.strip(), where)
        yield row


def check_header(header: Sequence[str], inputs: Sequence[str], events: Sequence[str]) -> None:
    """See that there is one column for each input and each event.

    Raises:
        TableError: if not.
    """
    for name in header:
        if name not in inputs and name not in events:
            raise TableError(f"line 1: there is no input or event {name!r}")
        if header.count(name) > 1:
            raise TableError(f"line 1: the column {name!r} stands twice")
    for name in (*inputs, *events):
        if name not in header:
            raise TableError(f"line 1: the column {name!r} is missing")


def event_of(text: str, where: str) -> bool:
    """Return whether an event happens.

    Raises:
        TableError: if the text does not say it.
    """
    if text not in TRUTHS:
        raise TableError(f"{where}: found {text!r}; expected true or false")
    return TRUTHS[text]


def value_of(text: str, where: str) -> Value:
    """Return a number or a truth.

    Raises:
        TableError: if the text is none.
    """
    if text in TRUTHS:
        return TRUTHS[text]
    try:
        value: Value = int(text) if WHOLE.match(text) else float(text)
    except ValueError:
        value = float("nan")
    if value - value != 0 or not -LIMIT <= value < LIMIT:
        raise TableError(f"{where}: found {text!r}; expected a finite number, true or false")
    return value
