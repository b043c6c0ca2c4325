"""Results of commands, and their presentation: as text, as JSON, and as a page."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from typing import Any

import typer

from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.limits import read_text
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.ensemble.writing import unwritable, write_text, writing
from hetwin_suite.running.patience import never_silent, to_stderr

NOT_KNOWN = 3
"""Exit code if the result is unknown, or was not found in time."""

_LINE = re.compile(r"\bline (\d+)(?:[,:] )?")


@dataclass(frozen=True, slots=True)
class Page:
    """A page, one HTML file.

    Attributes:
        file: path of the page; missing folders are created.
        draw: returns the HTML.
        doing: returns the progress text that is printed when drawing takes long.
        matters: whether failing to draw the page is an error; otherwise a warning gives the reason.
    """

    file: Path
    draw: Callable[[], str]
    doing: Callable[[], str] = lambda: "drawing the page"
    matters: bool = True

    def write(self) -> Path | None:
        """Draw and write the page; returns its file, or None if it could not be drawn.

        Raises:
            BadInput: if the page matters and cannot be drawn or written.
        """
        try:
            with never_silent(self.doing):
                write_text(self.file, self.draw(), "the page")
        except Exception as error:  # a missing page must not fail a successful command
            if self.matters:
                raise
            to_stderr(f"warning: no page: {error}")
            return None
        return self.file


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a command.

    Attributes:
        document: the output of `--json`; see `json_text`.
        lines: text for a person; iterated only without `--json`.
        code: exit code: 0 yes, 1 no or failed, 3 not known or not in time.
        page: the page to write; JSON and text name its file.
        kept: file to which the JSON is written as well; missing folders are created.
    """

    document: Any
    lines: Iterable[str] = ()
    code: int = 0
    page: Page | None = None
    kept: Path | None = None


class PagedResult(Result):
    """The result of a command that has `--page/--no-page`."""


def present(
    result: Result, *, as_json: bool, indent: int | None = 2, with_page: bool = True
) -> None:
    """Write the page of a command's result, and print the result as text or JSON.

    While the page is drawn, the first interrupt is deferred until the page is finished; the second takes effect at
    once.

    Args:
        result: the command's result.
        as_json: whether to print JSON.
        indent: indentation of the JSON; None: everything in one line, as in JSON Lines.
        with_page: whether to write the page.

    Raises:
        typer.Exit: with the result's exit code if it is not 0, otherwise with that of the interrupt, if there was one.
    """
    document, code, file = result.document, result.code, None
    if result.kept is not None:
        write_text(result.kept, json_text(document) + "\n")
    if result.page is not None and with_page:
        with Interrupts(_raise_on_second) as interrupts:
            file = result.page.write()
        code = code or interrupts.code
    if result.page is not None or isinstance(result, PagedResult):
        document = {**_plain(document), "page": None if file is None else str(file.resolve())}
    if as_json:
        print(json_text(document, indent), flush=True)
    else:
        for line in (*result.lines, *([] if file is None else [f"page: {file}"])):
            print(line, flush=True)
    if code:
        raise typer.Exit(code)


def _raise_on_second(count: int, number: int) -> None:
    if count > 1:
        raise Interrupted(number)


def json_text(document: Any, indent: int | None = 2) -> str:
    """Return a document as JSON.

    Args:
        document: plain JSON; may contain objects with `to_json`, pydantic models, dataclasses and paths.
        indent: as in `json.dumps`.
    """
    return json.dumps(document, indent=indent, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    if hasattr(value, "to_json"):
        return value.to_json()
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


def error_document(error: Any) -> dict[str, Any]:
    """Return an error as printed by `--json`: the problem, its file and line, its key or option."""
    row: dict[str, Any] = dict.fromkeys(("file", "line", "key", "found", "expected"))
    if isinstance(error, BadInput):
        line = _LINE.search(error.where or "")
        row["file"] = error.file
        row["line"] = None if line is None else int(line[1])
        row["key"] = _LINE.sub("", error.where or "").strip(" ,:") or None
        row |= {"found": error.found, "expected": error.expected}
        row["message"] = error.problem
    elif isinstance(error, HetwinError):
        row["message"] = str(error)
    else:  # an error of the command line, raised by click
        option, param = getattr(error, "option_name", None), getattr(error, "param", None)
        row["key"] = option or (param and param.opts[0])
        row["message"] = error.format_message()
    if isinstance(error, RunFailed):
        time_s = error.time_ns / 1e9
        row |= {"model": error.model, "call": error.call, "time": time_s, "reason": error.reason}
    return {"error": row}


def line_printer(*, as_json: bool) -> Callable[[str], None]:
    """Return a function that prints a line immediately: to stdout, or to stderr if stdout is reserved for JSON."""
    return lambda text: print(text, file=sys.stderr if as_json else sys.stdout, flush=True)


BETWEEN = 2
"""Spaces between two columns of a table."""
INDENT = 4
MIN_TEXT = 24
"""Minimum width of the last column in characters; a narrower one is printed below its row."""


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with aligned columns, the last column wrapped to the terminal's width.

    If stdout is a pipe, each row is one line. If the terminal is too narrow for the table, each row is a paragraph.

    Args:
        header: titles of the columns.
        rows: one text per column; only texts of the last column may be long.
    """
    return table_lines(
        header, rows, shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    )


def table_lines(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None
) -> list[str]:
    """Return the lines of `table` for a width in characters; None: unlimited."""
    *named, _ = zip(header, *rows, strict=True)
    sizes = [max(map(len, column)) for column in named]
    margin = sum(sizes) + BETWEEN * len(sizes)
    if width is None:
        return [_in_line(row, sizes) for row in (header, *rows)]
    if width - margin < MIN_TEXT:
        return [line for row in rows for line in _paragraph(header, row, width)]
    return [line for row in (header, *rows) for line in _wrapped(row, sizes, width - margin)]


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
    """Break a text into lines between words only."""
    lines = textwrap.wrap(text, max(width, 1), break_long_words=False, break_on_hyphens=False)
    return lines or [""]


FIGURES = Group(
    "hetwin.figures",
    "figures of the event",
    "a function of the events of a run, which returns RunFigures",
)
"""Entry points named after an event: the function is called for each run in which the event happened."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Figures of a run.

    Attributes:
        name: key of `values` in the output of `hetwin run --json`.
        values: the figures, as plain JSON.
        lines: the figures as text.
        routine: names of the events that the figures summarize; they are not printed individually.
    """

    name: str
    values: Mapping[str, Any]
    lines: Sequence[str]
    routine: frozenset[str] = frozenset()


def figures_of(rows: Sequence[Mapping[str, Any]]) -> Iterator[RunFigures]:
    """Yield the figures that installed packages compute; a package that fails causes a warning and is skipped.

    Args:
        rows: the events in the run's summary.
    """
    happened = {row["name"] for row in rows}
    for name, point in FIGURES.points().items():
        if name in happened:
            try:
                yield FIGURES.loaded(point)(rows)
            except BadInput as error:
                warnings.warn(str(error), stacklevel=2)
            except Exception as error:  # third-party code
                refused = FIGURES.refused(point, f"{type(error).__name__}: {error}")
                warnings.warn(str(refused), stacklevel=2)


def lines_of(file: Path, expected: str) -> list[str]:
    """Return the lines of a text file, with their line ends.

    Args:
        file: the file.
        expected: expected content, for the error message.

    Raises:
        BadInput: if the file cannot be read.
    """
    try:
        return list(io.StringIO(read_text(file, encoding="utf-8-sig"), newline=""))
    except OSError as error:
        why = f"the file cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = "this is not a text file"
    raise BadInput(why, file=file, expected=expected) from None


def make_parent_folder(out: Path) -> None:
    """Create the parent folders of an output file before the work starts, so that an unwritable path fails early.

    Raises:
        BadInput: if the file cannot be written.
    """
    with writing("the file", out, "--out"):
        out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir():
        raise unwritable("the file", out, errno.EISDIR, "--out")
    if not os.access(out.parent, os.W_OK):
        raise unwritable("the file", out, errno.EACCES, "--out")
