"""Reader of CSV files as rows of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hetwin_suite.tables import NumberTable as Table
from hetwin_suite.tables import check_columns, read_table

Row = dict[str, float | None]
LINE = "line"
"""Key of a row's line number in its file."""


def read_rows(file: Path, columns: Sequence[str], *, may_be_empty: Sequence[str] = ()) -> list[Row]:
    """Return the rows of a CSV file with their numbers by column, and their `LINE`.

    Args:
        file: CSV file, which may have further columns.
        columns: required columns.
        may_be_empty: columns whose cells may be empty; an empty cell is None.

    Raises:
        BadInput: if the file cannot be read, a column is missing, or a cell is not a number.
    """
    table = read_table(file, f"a table with the columns {', '.join(columns)}")
    check_columns(table, columns)
    return [_row(table, i, columns, may_be_empty) for i in range(len(table.rows))]


def _row(table: Table, index: int, columns: Sequence[str], may_be_empty: Sequence[str]) -> Row:
    row: Row = {LINE: float(table.lines[index])}
    for name in columns:
        row[name] = table.number(index, name, may_be_empty=name in may_be_empty)
    return row
