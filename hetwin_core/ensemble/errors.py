"""The errors that hetwin raises on purpose: bad input before anything starts, and a run that fails."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.ensemble.words import failure_words


class HetwinError(Exception):
    """Base of all errors that hetwin raises on purpose; the text is meant for users."""


class BadInput(HetwinError):
    """Input from outside that cannot be used; ends a command with exit code 2.

    Args:
        problem: what is wrong, in words.
        file: the file in which it is wrong.
        where: line, key or element in that file, e.g. ``models.grasp.rate`` or ``line 12``.
        found: what was found there.
        expected: what was expected there, or what to do.
    """

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
        """The same error with another place."""
        return BadInput(
            self.problem, file=file, where=where, found=self.found, expected=self.expected
        )

    def _text(self) -> str:
        place = ": ".join(part for part in (self.file, self.where) if part)
        text = f"{place}: {self.problem}" if place else self.problem
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
        reason: what happened, and what was expected.
    """

    def __init__(self, model: str, call: str, time_ns: int, reason: str) -> None:
        self.model = model
        self.call = call
        self.time_ns = time_ns
        self.reason = reason
        super().__init__(failure_words(call, time_ns / 1e9, reason, model))

    @property
    def without_model(self) -> str:
        """The failure in words, for a note that has the model as its source."""
        return failure_words(self.call, self.time_ns / 1e9, self.reason)


class Refused(HetwinError):
    """A model refuses to take a responsibility, or to carry out a command; the run continues."""
