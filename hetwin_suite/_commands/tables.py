"""Tables on the terminal and in pipes, in which no name is ever cut."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

BETWEEN = 2
"""Columns of space between two columns of a table."""
INDENT = 4
LEAST_TEXT = 24
"""A last column that would be narrower is written below its row."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of rows below a header: aligned, the last column wrapped to the terminal.

    In a pipe nothing is wrapped, so that each row is one line. On a terminal too narrow for the table each row is a
    paragraph of its own.

    Args:
        header: titles of the columns.
        rows: as many texts each; only those of the last column may be long.
    """
    return lines_of(
        header, rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    )


def lines_of(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None
) -> list[str]:
    """The lines of `table`, for a terminal of so many characters; None: of any length."""
    *named, _ = zip(header, *rows, strict=True)
    sizes = [max(map(len, column)) for column in named]
    left = sum(sizes) + BETWEEN * len(sizes)
    if width is None:
        return [_in_line(row, sizes) for row in (header, *rows)]
    if width - left < LEAST_TEXT:
        return [line for row in rows for line in _paragraph(header, row, width)]
    return [line for row in (header, *rows) for line in _wrapped(row, sizes, width - left)]


def _in_line(row: Sequence[str], sizes: Sequence[int]) -> str:
    cells = [cell.ljust(size + BETWEEN) for cell, size in zip(row[:-1], sizes, strict=True)]
    return "".join([*cells, row[-1]]).rstrip()


def _wrapped(row: Sequence[str], sizes: Sequence[int], width: int) -> list[str]:
    first, *more = _fold(row[-1], width)
    margin = " " * (sum(sizes) + BETWEEN * len(sizes))
    return [_in_line([*row[:-1], first], sizes), *(margin + line for line in more)]


def _paragraph(header: Sequence[str], row: Sequence[str], width: int) -> list[str]:
    facts = [
        f"{title}: {cell}" for title, cell in zip(header[1:-1], row[1:-1], strict=True) if cell
    ]
    indented = [line for text in (*facts, row[-1]) for line in _fold(text, width - INDENT)]
    return [row[0], *(" " * INDENT + line for line in indented if line)]


def _fold(text: str, width: int) -> list[str]:
    """The text in lines that break between words only."""
    lines = textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)
    return lines or [""]
