"""The `hetwin` command in this process, and what an error of its input must look like."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import typer.main
from typer.core import TyperGroup

from hetwin_suite.cli import main as cli

_PROGRESS = re.compile(r"(?!error:)[^:]*(: \w+)? \(\d+ s\)")


@dataclass(frozen=True)
class Said:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def hetwin(*arguments: object) -> Said:
    """Run the command, as the shell would; what the nodes write that it starts belongs to its stderr."""
    out = io.StringIO()
    code = 0
    with (
        tempfile.TemporaryFile("w+", errors="replace") as err,
        mock.patch.object(sys, "argv", ["hetwin", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            cli.main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        err.seek(0)
        return Said(code, out.getvalue(), err.read())


def all_commands() -> dict[str, Any]:
    """Every command, by the words that call it, such as ``run`` and ``machines run``."""
    root = typer.main.get_command(cli.app)
    return dict(_commands(root, ()))


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    if not isinstance(command, TyperGroup):
        yield " ".join(words), command
        return
    context: Any = typer.Context(command)
    for name in command.list_commands(context):
        yield from _commands(command.get_command(context, name), (*words, name))


def refused(folder: Path, *arguments: str | Path, says: tuple[str, ...]) -> str:
    """Run a command that must refuse its input; the error, which holds all of `says`.

    It must be one paragraph without a traceback that says what was expected, end with code 2 and leave
    nothing in `folder`.
    """
    before = _files(folder)
    said = hetwin(*arguments)
    error = _without_progress(said.err).strip()
    assert said.code == 2, said
    assert error.startswith("error: "), error
    assert "\n\n" not in error
    assert "Traceback" not in said.err + said.out
    for text in says:
        assert text in error, f"{text!r} is not in {error!r}"
    assert "expected" in error, error
    assert _files(folder) == before
    return error


def _files(folder: Path) -> list[Path]:
    """All that lies in a folder, without what Python keeps of modules that were imported."""
    return sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)


def _without_progress(text: str) -> str:
    """What was written on stderr without the lines that a slow start writes, such as ``physics: initialize (3 s)``."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not _PROGRESS.fullmatch(line.strip()))
