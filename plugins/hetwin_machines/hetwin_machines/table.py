"""Reads a table of inputs and events, with one row per step; generated code contains a copy of this module."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence

from hetwin_machines.expressions.operations import LIMIT, Value

INTEGER = re.compile(r"[-+]?[0-9]+\Z")
BOOLEANS = {"true": True, "false": False}


class TableError(ValueError):
    """A table that cannot be used; the message has line, column, what was found and what was expected."""


def read_rows(
    lines: Iterable[str], inputs: Sequence[str], events: Sequence[str]
) -> Iterator[dict[str, Value]]:
    """Yield the values of each row, without the inputs whose cell is empty, which keep their values.

    If there are neither inputs nor events, each line after the first is a step.

    Raises:
        TableError: if a column is missing or unknown, or a value is invalid.
    """
    rows = csv.reader(lines)
    try:
        header = [name.strip() for name in next(rows, [])]
        check_header(header, inputs, events)
        for cells in rows:
            if cells or not header:
                yield row_of(header, cells, events, f"line {rows.line_num}")
    except csv.Error as error:
        raise TableError(f"line {rows.line_num}: this is not a table: {error}") from None


def row_of(
    header: Sequence[str], cells: Sequence[str], events: Sequence[str], where: str
) -> dict[str, Value]:
    """Return the values of a row.

    Raises:
        TableError: if a cell is missing or its value is invalid.
    """
    if len(cells) != len(header):
        found = f"found {len(cells)} columns; expected {len(header)}"
        raise TableError(f"{where}: {found}: {', '.join(header)}")
    row: dict[str, Value] = {}
    for name, cell in zip(header, cells, strict=True):
        text, cell_name = cell.strip(), f"{where}, column {name}"
        if name in events:
            row[name] = event_of(text, cell_name)
        elif text:
            row[name] = value_of(text, cell_name)
    return row


def check_header(header: Sequence[str], inputs: Sequence[str], events: Sequence[str]) -> None:
    """Check that there is exactly one column for each input and each event.

    Raises:
        TableError: if not.
    """
    for name in header:
        if name not in inputs and name not in events:
            raise TableError(f"line 1: there is no input or event {name!r}")
        if header.count(name) > 1:
            raise TableError(f"line 1: the column {name!r} occurs twice")
    for name in (*inputs, *events):
        if name not in header:
            raise TableError(f"line 1: the column {name!r} is missing")


def event_of(text: str, where: str) -> bool:
    """Return whether an event happens.

    Raises:
        TableError: if the text is invalid.
    """
    found = {**BOOLEANS, "1": True, "0": False}.get(text.lower())
    if found is None:
        raise TableError(f"{where}: found {text!r}; expected true or false")
    return found


def value_of(text: str, where: str) -> Value:
    """Return the number or Boolean that a text represents.

    Raises:
        TableError: if the text is invalid.
    """
    if text.lower() in BOOLEANS:
        return BOOLEANS[text.lower()]
    try:
        value: Value = int(text) if INTEGER.match(text) else float(text)
    except ValueError:
        value = float("nan")
    # Python alone accepts underscores; the difference is not 0 for NaN and infinity.
    if "_" in text or value - value != 0:
        raise TableError(f"{where}: found {text!r}; expected a finite number, true or false")
    if isinstance(value, int) and not -LIMIT <= value < LIMIT:
        raise TableError(f"{where}: found {text!r}; expected an integer that fits in 64 bits")
    return value
