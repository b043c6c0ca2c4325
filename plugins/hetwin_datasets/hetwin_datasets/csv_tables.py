"""Reads tables of joint positions in CSV files, each as one episode."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np

from hetwin_datasets.columns import check_episode, joint_columns, si_factor
from hetwin_suite.episode import DatasetEpisode
from hetwin_suite.model import Floats, some
from hetwin_suite.tables import NumberTable, read_table

EXPECTED_TABLE = (
    "a table with the column `time` [s] and one for each joint, such as `elbow` or `elbow [deg]`"
)

_TIMES = ("time", "t", "timestamp", "stamp", "__time", "seconds", "sec")
_SECONDS_PER = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_UNIT = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\[\]()]*)[\])]$")
_ENDING = re.compile(r"^(?P<name>.+)_(?P<unit>deg|rad|mm|s|ms|us|ns)$", re.IGNORECASE)


def is_table(path: Path) -> bool:
    """Whether a path is a CSV file."""
    return path.suffix.casefold() == ".csv" and path.is_file()


def read_csv(file: Path, number: int | None) -> DatasetEpisode:
    """Read a table as one episode.

    Raises:
        BadInput: if the table cannot be read, has no time or no joint, or `number` is not 0 or None.
    """
    check_episode(number, (0,), file)
    table = read_table(file, EXPECTED_TABLE)
    named = {column: _split(column) for column in table.columns}
    time = next((c for c, (name, _) in named.items() if name.casefold() in _TIMES), None)
    per_second = None if time is None else _SECONDS_PER.get((named[time][1] or "s").casefold())
    if time is None or per_second is None:
        raise table.header_error("there is no time column", some(table.columns), EXPECTED_TABLE)
    factors = {c: 1.0 if unit is None else si_factor(unit) for c, (_, unit) in named.items()}
    usable = [c for c in table.columns if c != time and factors[c] is not None]
    joints = joint_columns([named[column][0] for column in usable], file, "line 1")
    columns = [usable[i] for i in joints.values()]
    times = table.numbers([time])[:, 0] * per_second
    _check_times(table, times)
    unused = [c for c in table.columns if c != time and c not in columns]
    return DatasetEpisode(
        label=f"a table of {len(times)} rows",
        name=file.stem,
        joints=tuple(joints),
        times=times - times[0],
        positions=_positions(table, columns),
        si_per=tuple(factors[column] or 1.0 for column in columns),
        notes=(f"columns ignored because they are not joint positions: {some(unused)}",)
        if unused
        else (),
    )


def _split(column: str) -> tuple[str, str | None]:
    """Return name and unit of a column such as `elbow [deg]`, `elbow (deg)` or `elbow_deg`."""
    match = _UNIT.match(column) or _ENDING.match(column)
    return (match["name"], match["unit"]) if match else (column, None)


def _check_times(table: NumberTable, times: Floats) -> None:
    backwards = np.flatnonzero(np.diff(times) < 0.0)
    if len(backwards):
        row = int(backwards[0]) + 1
        raise table.bad(
            "the time goes backwards", row, float(times[row]), "rows in chronological order"
        )


def _positions(table: NumberTable, columns: list[str]) -> Floats:
    """Return (n, columns) positions; NaN for empty cells."""
    positions = np.empty((len(table.rows), len(columns)))
    for j, column in enumerate(columns):
        for i in range(len(table.rows)):
            value = table.number(i, column, may_be_empty=True)
            positions[i, j] = math.nan if value is None else value
    return positions
