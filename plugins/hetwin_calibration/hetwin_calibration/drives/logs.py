"""Reader of wheel angles and true poses in a CSV file or a rosbag2."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_calibration.drives.bags import read_bag
from hetwin_calibration.drives.drive import Recording
from hetwin_calibration.least_squares import Floats
from hetwin_calibration.rows import LINE, Row, read_rows
from hetwin_suite.command import BadInput

COLUMNS = ("t", "left", "right", "x", "y", "yaw")
_LEAST = 20
_LONGEST_GAP_S = 2.0
_QUICKEST = 200.0
"""Maximum speed of a wheel [rad/s]; more counts as a jump."""


def read_recording(log: Path, wheels: Sequence[str] | None, truth: str | None) -> Recording:
    """Return the recording in a CSV file or a rosbag2.

    Args:
        log: file or folder.
        wheels: joints of the left and the right wheel in a rosbag2; None: found by their names.
        truth: topic of the true poses in a rosbag2; None: the only topic with poses.

    Raises:
        BadInput: if the recording cannot be used; with file, line and column, or topic.
    """
    if log.is_dir() or log.suffix in (".mcap", ".db3", ".bag"):
        return checked(read_bag(log, wheels, truth), log)
    rows = read_rows(log, COLUMNS, may_be_empty=("yaw",))
    _check_rows(rows, log)
    table = np.array([[row[name] for name in COLUMNS[:5]] for row in rows], dtype=np.float64)
    times = table[:, 0]
    headings = _headings(rows)
    return checked(
        Recording(str(log), times, table[:, 1:3], times, table[:, 3:5], headings), log, rows
    )


def _headings(rows: Sequence[Row]) -> Floats | None:
    """Return the unwrapped headings; None if there are none."""
    if rows[0]["yaw"] is None:
        return None
    return np.unwrap(np.array([row["yaw"] for row in rows], dtype=np.float64))


def _check_rows(rows: Sequence[Row], log: Path) -> None:
    """Check that there are enough rows, that times increase, and that either all rows have yaw or none.

    Raises:
        BadInput: otherwise.
    """
    if len(rows) < _LEAST:
        raise BadInput(
            "the recording is too short",
            file=log,
            found=f"{len(rows)} rows",
            expected=f"at least {_LEAST}",
        )
    for before, row in itertools.pairwise(rows):
        where = f"line {row[LINE]:.0f}, column"
        step = float(row["t"] or 0.0) - float(before["t"] or 0.0)
        if step <= 0.0:
            raise BadInput(
                "time does not increase",
                file=log,
                where=f"{where} t",
                found=row["t"],
                expected=f"more than {before['t']:g}",
            )
        if (row["yaw"] is None) is not (rows[0]["yaw"] is None):
            raise BadInput(
                "yaw is known in some rows only",
                file=log,
                where=f"{where} yaw",
                found="" if row["yaw"] is None else row["yaw"],
                expected="a number in each row, or in none",
            )


def checked(recording: Recording, log: Path, rows: Sequence[Row] | None = None) -> Recording:
    """Return a recording after a check that neither its times nor its wheel angles jump.

    Raises:
        BadInput: if they jump.
    """

    def where(index: int, column: str) -> str:
        if rows is None:
            return f"at {recording.wheel_times[index]:.3f} s, {column}"
        return f"line {rows[index][LINE]:.0f}, column {column}"

    steps = np.diff(recording.wheel_times)
    gaps = np.flatnonzero(steps > _LONGEST_GAP_S)
    if len(gaps):
        index = int(gaps[0])
        raise BadInput(
            "time jumps",
            file=log,
            where=where(index + 1, "t"),
            found=float(recording.wheel_times[index + 1]),
            expected=f"at most {_LONGEST_GAP_S:g} s after {recording.wheel_times[index]:g}",
        )
    speeds = np.abs(np.diff(recording.wheels, axis=0)) / steps[:, None]
    jumps = np.argwhere(speeds > _QUICKEST)
    if len(jumps):
        index, side = jumps[0].tolist()
        raise BadInput(
            "the angle of this wheel jumps",
            file=log,
            where=where(index + 1, ("left", "right")[side]),
            found=float(recording.wheels[index + 1, side]),
            expected=f"an unwrapped angle in rad that changes by at most {_QUICKEST:g} rad/s",
        )
    return recording
