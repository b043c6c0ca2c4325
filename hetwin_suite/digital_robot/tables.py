"""CSV files of joint positions and of poses, checked line by line."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.scene.values import Floats

POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_UNIT = 1e-3
"""Quaternions may be so much longer or shorter than 1, as those with few digits are."""


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a CSV file.

    Attributes:
        file: where they were read.
        columns: the header.
        rows: as many cells each.
        lines: in which the rows end.
    """

    file: Path
    columns: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def numbers(self, columns: Sequence[str]) -> Floats:
        """Return (m, n) the numbers in some columns.

        Raises:
            BadInput: if a cell is no finite number; names line and column.
        """
        index = [self.columns.index(column) for column in columns]
        values = [
            [self._number(row[i], line, self.columns[i]) for i in index]
            for row, line in zip(self.rows, self.lines, strict=True)
        ]
        return np.array(values, np.float64).reshape(len(self.rows), len(index))

    def bad(self, problem: str, row: int, found: object, expected: str) -> BadInput:
        """Return an error about a row, counted from 0."""
        where = f"line {self.lines[row]}"
        return BadInput(problem, file=self.file, where=where, found=found, expected=expected)

    def bad_header(self, problem: str, found: object, expected: str) -> BadInput:
        """Return an error about the header."""
        return BadInput(problem, file=self.file, where="line 1", found=found, expected=expected)

    def _number(self, text: str, line: int, column: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadInput(
                "this is no finite number",
                file=self.file,
                where=f"line {line}, column {column}",
                found=text,
                expected="a finite number",
            )
        return value


def read_table(file: Path) -> Table:
    """Read a CSV file with a header and at least one row.

    Raises:
        BadInput: if it cannot be read, is empty, or a row has too few or too many cells.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, skipinitialspace=True)
            read = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"cannot be read: {reason}", file=file, expected="a CSV file") from None
    if len(read) < 2:
        raise BadInput(
            "has no rows",
            file=file,
            found="nothing" if not read else "only a header",
            expected="a header and a row at least",
        )
    (_, header), *rows = read
    for name in header:
        if header.count(name) > 1 or not name:
            raise BadInput(
                "a column is there twice" if name else "a column has no name",
                file=file,
                where=f"line {read[0][0]}",
                found=name or header,
                expected="every column once, by name",
            )
    for line, row in rows:
        if len(row) != len(header):
            raise BadInput(
                "this row does not fit the header",
                file=file,
                where=f"line {line}",
                found=f"{len(row)} cells",
                expected=f"{len(header)} cells: {', '.join(header)}",
            )
    return Table(file, tuple(header), [row for _, row in rows], [line for line, _ in rows])


def read_joints(
    file: Path, joints: Sequence[str], others: Sequence[str] = ()
) -> tuple[Floats, list[str]]:
    """Read positions of joints.

    Args:
        file: with the joints' names as header.
        joints: whose positions are needed.
        others: joints of the robot that may be there and are passed over.

    Returns:
        (m, n) the positions [rad or m], and the columns that were passed over.

    Raises:
        BadInput: if a column is missing or unknown, or a number is not finite.
    """
    table = read_table(file)
    for column in table.columns:
        if column not in (*joints, *others):
            raise table.bad_header(
                "the robot has no such joint that moves",
                column,
                f"{', '.join(joints)}{perhaps(column, joints)}",
            )
    need_columns(table, joints)
    return table.numbers(joints), [name for name in table.columns if name not in joints]


def need_columns(table: Table, columns: Sequence[str]) -> None:
    """Raise BadInput if a column is missing."""
    missing = [column for column in columns if column not in table.columns]
    if missing:
        raise table.bad_header(
            "a column is missing",
            ", ".join(table.columns),
            f"{', '.join(missing)} as well",
        )


def read_poses(file: Path) -> Floats:
    """Return (m, 7) poses x y z [m], qw qx qy qz, the quaternions made exactly 1 long.

    Raises:
        BadInput: if a column is missing or unknown, a number is not finite, or a quaternion's length is not 1.
    """
    table = read_table(file)
    for column in table.columns:
        if column not in POSE:
            raise table.bad_header("poses have no such column", column, ",".join(POSE))
    need_columns(table, POSE)
    poses = table.numbers(POSE)
    lengths = np.linalg.norm(poses[:, 3:], axis=1)
    for i in np.flatnonzero(np.abs(lengths - 1.0) > _UNIT).tolist():
        raise table.bad(
            "the quaternion qw,qx,qy,qz is not of length 1",
            i,
            f"{poses[i, 3:].tolist()} of length {lengths[i]:.6g}",
            "length 1, within 0.001",
        )
    poses[:, 3:] /= lengths[:, None]
    return poses
