"""The errors that hetwin raises on purpose: bad input before anything starts, and a run that fails."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

_CORE_FOLDER = Path(__file__).resolve().parents[1]
_PYTHON_FOLDER = Path(os.__file__).resolve().parent


def error_with_location(error: BaseException) -> str:
    """The error and its location, e.g. ``ValueError: the tank is empty (/home/anna/coffee.py, line 42)``.

    The location is the innermost frame outside Python and installed packages; without one, the outermost frame of
    the package that the core has called.
    """
    text = f"{type(error).__name__}: {error}"
    frames = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    outside = [frame for frame in frames if not frame[0].is_relative_to(_CORE_FOLDER)]
    own = [frame for frame in outside if not _is_installed(frame[0])]
    for file, line in (*reversed(own), *outside):
        if file.exists():
            return f"{text} ({file}, line {line})"
    return text


def _is_installed(file: Path) -> bool:
    packages = {"site-packages", "dist-packages"}
    return file.is_relative_to(_PYTHON_FOLDER) or not packages.isdisjoint(file.parts)


class HetwinError(Exception):
    """Base of all errors that hetwin raises on purpose; the text is meant for users.

    Attributes:
        exit_code: exit code of the command that the error ends.
    """

    exit_code = 1


class BadInput(HetwinError):
    """Input from outside that cannot be used; ends a command with exit code 2.

    Args:
        problem: the problem in words.
        file: the file that contains the input.
        where: line, key or element in that file, e.g. ``models.grasp.rate`` or ``line 12``.
        found: the value there.
        expected: the expectation, or the remedy.
    """

    exit_code = 2

    def __init__(
        self,
        problem: str,
        *,
        file: Path | str | None = None,
        where: str | None = None,
        found: object = None,
        expected: str | None = None,
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.where = where
        self.found = found
        self.expected = expected
        super().__init__(self._text())

    def at(self, where: str | None, file: Path | str | None = None) -> BadInput:
        """The same error at another location."""
        return BadInput(
            self.problem, file=file, where=where, found=self.found, expected=self.expected
        )

    def _text(self) -> str:
        location = ": ".join(part for part in (self.file, self.where) if part)
        text = f"{location}: {self.problem}" if location else self.problem
        if self.found is not None:
            text += f"; found {self.found!r}"
        if self.expected:
            text += f"; expected {self.expected}"
        return text


class RunFailed(HetwinError):
    """A run that cannot continue; ends a command with exit code 1.

    Args:
        model: name of the model (or part of hetwin) that failed.
        call: the call that failed, e.g. ``step`` or ``take``.
        time_ns: simulated time, in nanoseconds.
        reason: the problem and the expectation.
    """

    def __init__(self, model: str, call: str, time_ns: int, reason: str) -> None:
        self.model = model
        self.call = call
        self.time_ns = time_ns
        self.reason = reason
        super().__init__(self._text(model))

    def __reduce__(self) -> tuple[type[RunFailed], tuple[str, str, int, str]]:
        """Return the fields from which another process makes the same error."""
        return RunFailed, (self.model, self.call, self.time_ns, self.reason)

    @property
    def without_model(self) -> str:
        """The failure in words, for a note that has the model as its source."""
        return self._text()

    def _text(self, model: str = "") -> str:
        from hetwin_core.ensemble.words import failure_words  # loading the sentences takes time

        return failure_words(self.call, self.time_ns / 1e9, self.reason, model)


class Refused(HetwinError):
    """A model refuses to take a responsibility, or to carry out a command; the run continues."""
