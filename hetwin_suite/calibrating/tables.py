"""Tables of numbers with a header, as logs are; errors name file, line and column."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput

Row = dict[str, float | None]
LINE = "line"
"""Key of a row's line in its file."""


def read_table(file: Path, columns: Sequence[str], *, may_lack: Sequence[str] = ()) -> list[Row]:
    """Return the rows of a CSV file with their numbers by column, and their `LINE`.

    Args:
        file: that is read; it may have other columns.
        columns: that it has.
        may_lack: those whose cells may be empty, which are None then.

    Raises:
        BadInput: if it cannot be read, a column is missing, or a cell is no number.
    """
    expected = f"a table with the columns {', '.join(columns)}"
    lines = _lines(file, expected)
    rows = csv.reader(lines)
    try:
        header = [name.strip() for name in next(rows, [])]
        _check_header(header, columns, file, expected)
        return [
            _row(cells, header, columns, may_lack, file, rows.line_num) for cells in rows if cells
        ]
    except csv.Error as error:
        raise BadInput(
            str(error), file=file, where=f"line {rows.line_num}", expected=expected
        ) from None


def _lines(file: Path, expected: str) -> list[str]:
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            return list(text)
    except OSError as error:
        why = f"the file cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = "this is no text"
    raise BadInput(why, file=file, expected=expected) from None


def _check_header(header: Sequence[str], columns: Sequence[str], file: Path, expected: str) -> None:
    for name in columns:
        if header.count(name) != 1:
            problem = "is missing" if name not in header else "stands twice"
            raise BadInput(
                f"the column {name} {problem}",
                file=file,
                where="line 1",
                found=",".join(header),
                expected=expected,
            )


def _row(
    cells: Sequence[str],
    header: Sequence[str],
    columns: Sequence[str],
    may_lack: Sequence[str],
    file: Path,
    line: int,
) -> Row:
    if len(cells) != len(header):
        raise BadInput(
            "this row has another number of columns than the header",
            file=file,
            where=f"line {line}",
            found=len(cells),
            expected=f"{len(header)}: {', '.join(header)}",
        )
    texts = dict(zip(header, cells, strict=True))
    row: Row = {
        name: _number(texts[name].strip(), name in may_lack, file, f"line {line}, column {name}")
        for name in columns
    }
    return {**row, LINE: float(line)}


def _number(text: str, may_lack: bool, file: Path, where: str) -> float | None:
    if may_lack and not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadInput(
            "this is no finite number", file=file, where=where, found=text, expected="a number"
        )
    return value
