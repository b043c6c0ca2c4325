"""Reader of logged laps, and of commands whose durations are to be predicted."""

from __future__ import annotations

import itertools
from pathlib import Path

from hetwin_calibration.rows import LINE, Row, read_rows
from hetwin_calibration.travel.model import Lap
from hetwin_suite.command import BadInput

COLUMNS = ("T", "rotation", "displacement", "lap_real", "lap_virtual")
WANTED = ("rotation", "displacement", "lap_virtual")
_LAPS = ("lap_real", "lap_virtual")


def read_laps(log: Path) -> list[Lap]:
    """Return the laps of motion commands.

    Raises:
        BadInput: if the table is invalid; with line and column.
    """
    rows = read_rows(log, COLUMNS, may_be_empty=COLUMNS[1:])
    for before, row in itertools.pairwise(rows):
        if float(row["T"] or 0.0) < float(before["T"] or 0.0):
            raise BadInput(
                "time goes back",
                file=log,
                where=f"line {row[LINE]:.0f}, column T",
                found=row["T"],
                expected=f"{before['T']:g} or more",
            )
    laps = [_lap(row, log) for row in rows]
    return [lap for lap in laps if lap is not None]


def read_commands(file: Path) -> list[Lap]:
    """Return the commands whose durations are to be predicted.

    Raises:
        BadInput: if the table is invalid; with line and column.
    """
    rows = read_rows(file, WANTED, may_be_empty=("lap_virtual",))
    return [
        Lap(
            float(row["rotation"] or 0.0), float(row["displacement"] or 0.0), None, _time(row, file)
        )
        for row in rows
    ]


def _lap(row: Row, log: Path) -> Lap | None:
    rotation, displacement = row["rotation"], row["displacement"]
    for name in _LAPS:
        _check_lap(row, name, log)
    if rotation is None or displacement is None:
        return None
    return Lap(rotation, displacement, row["lap_real"], row["lap_virtual"])


def _time(row: Row, file: Path) -> float | None:
    _check_lap(row, "lap_virtual", file)
    return row["lap_virtual"]


def _check_lap(row: Row, name: str, file: Path) -> None:
    lap = row[name]
    if lap is not None and lap < 0.0:
        raise BadInput(
            "a lap cannot be negative",
            file=file,
            where=f"line {row[LINE]:.0f}, column {name}",
            found=lap,
            expected="seconds, 0 or more; empty without a response",
        )
