"""CSV files of numbers with a header; errors name file, line and column."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_text
from hetwin_core.ensemble.scene.values import Floats


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a CSV file.

    Attributes:
        file: path of the file.
        columns: the header.
        rows: the cells of each row.
        lines: number of the last line of each row.
    """

    file: Path
    columns: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def numbers(self, columns: Sequence[str]) -> Floats:
        """Return the numbers in some columns, (rows, columns).

        Raises:
            BadInput: if a cell is not a finite number; line and column are named.
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

    def header_error(self, problem: str, found: object, expected: str) -> BadInput:
        """Return an error about the header."""
        return BadInput(problem, file=self.file, where="line 1", found=found, expected=expected)

    def number(self, row: int, column: str, *, may_be_empty: bool = False) -> float | None:
        """Return the number in a row, counted from 0; None for an empty cell if `may_be_empty`.

        Raises:
            BadInput: if the cell holds no finite number.
        """
        text = self.rows[row][self.columns.index(column)]
        return None if may_be_empty and not text else self._number(text, self.lines[row], column)

    def _number(self, text: str, line: int, column: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise BadInput(
                "this is not a finite number",
                file=self.file,
                where=f"line {line}, column {column}",
                found=text,
                expected="a finite number",
            )
        return value


def read_table(file: Path, expected: str = "a CSV file") -> Table:
    """Read a CSV file with a header and at least one row.

    Args:
        file: path of the file.
        expected: the right kind of file, for errors.

    Raises:
        BadInput: if it cannot be read, is empty, or a row has too few or too many cells.
    """
    try:
        stream = io.StringIO(read_text(file, encoding="utf-8-sig"), newline="")
        reader = csv.reader(stream, skipinitialspace=True)
        lines_read = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInput(f"cannot be read: {reason}", file=file, expected=expected) from None
    if len(lines_read) < 2:
        raise BadInput(
            "has no rows",
            file=file,
            found="nothing" if not lines_read else "only a header",
            expected="a header and at least one row",
        )
    (_, header), *rows = lines_read
    for name in header:
        if header.count(name) > 1 or not name:
            raise BadInput(
                "a column appears twice" if name else "a column has no name",
                file=file,
                where=f"line {lines_read[0][0]}",
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


def check_columns(table: Table, columns: Sequence[str]) -> None:
    """Raise BadInput if a column is missing."""
    if missing := [column for column in columns if column not in table.columns]:
        raise table.header_error(
            "a column is missing",
            ", ".join(table.columns),
            f"{', '.join(missing)} as well",
        )
