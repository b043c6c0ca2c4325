"""A running unit: the same few calls for FMI 2 and FMI 3.

Of FMI 3 neither event mode nor early return is used: every unit must be able to step without them, and handles its
events itself then. Triggers act at the end of a step anyway.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hetwin_fmu.access import Access, OutOfRange
from hetwin_fmu.archive import Archive
from hetwin_fmu.library import fmpy
from hetwin_fmu.messages import Messages
from hetwin_fmu.variables import Variable
from hetwin_suite.model import BadInput, Floats

Result = TypeVar("Result")

_WRONG = ("warning", "discard", "error", "fatal")
"""What categories of messages about something wrong have in their names."""
_DISCARD, _FATAL = 2, 4
_STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")


class UnitFailed(Exception):
    """A call of a unit that it did not carry out; the text says which and why."""


class CannotReset(UnitFailed):
    """A unit that cannot begin again; another instance of it can."""


@dataclass(frozen=True, slots=True)
class Given:
    """Variables and the numbers that they are set to.

    Attributes:
        variables: of the unit.
        values: (n,) their numbers, one variable after the other.
    """

    variables: tuple[Variable, ...]
    values: Floats


class Instance:
    """An instance of a unit, from its instantiation to its end.

    Args:
        archive: the unit.
        folder: where its files are.
        tolerance: of its solver; None: its own.
        verbose: whether it logs all that it can.

    Attributes:
        messages: what it has logged.

    Raises:
        BadInput: if its program cannot be loaded.
        UnitFailed: if it does not make an instance.
    """

    def __init__(
        self, archive: Archive, folder: str, *, tolerance: float | None, verbose: bool
    ) -> None:
        self._archive = archive
        self._tolerance = tolerance
        self._begun = self._wrong = self._dead = False
        self.messages = Messages(verbose=verbose)
        self._failure: type[Exception] = fmpy("fmi1").FMICallException
        self._calls: Any = self._loaded(folder)
        if not verbose:
            self._log_what_is_wrong()

    def _loaded(self, folder: str) -> Any:
        log = self.messages.log2 if self._archive.version == 2 else self.messages.log3
        before = Path.cwd()
        try:
            return fmpy().instantiate_fmu(
                folder,
                self._archive.description,
                fmi_type="CoSimulation",
                debug_logging=True,  # some log nothing later if it is off now
                logger=log,
            )
        except Exception as error:  # FMPy has no class for them
            if str(error).startswith("Failed to instantiate"):
                raise UnitFailed(f"it makes no instance{self.messages.last_words}") from None
            raise BadInput(
                f"the program of this unit cannot be loaded: {error}",
                where="file",
                found=str(self._archive.path),
                expected="a unit whose libraries are installed on this machine",
            ) from error
        finally:
            os.chdir(before)  # FMPy leaves it where it was when loading fails

    def _log_what_is_wrong(self) -> None:
        """Let it log warnings and errors only, if it has categories of its own for them, else nothing."""
        names = [c.name for c in self._archive.description.logCategories if c.name]
        wanted = [n for n in names if any(word in n.lower() for word in _WRONG)]
        self._call(self._calls.setDebugLogging, bool(wanted), wanted)

    def initialize(
        self, time: float, start: Given, inputs: Given, texts: Mapping[int, str]
    ) -> None:
        """Begin at a time, from the start values; again, if it has begun before.

        Args:
            time: at which it begins [s].
            start: start values.
            inputs: values of the inputs at that time.
            texts: start values of variables that hold text, by reference.

        Raises:
            CannotReset: if it has begun before, and cannot again.
            UnitFailed: if it does not accept the values.
        """
        calls = self._calls
        if self._begun:
            try:
                self._call(calls.reset)
            except UnitFailed as failure:
                raise CannotReset(str(failure)) from None
        self._begun = True
        if self._archive.version == 2:
            self._call(calls.setupExperiment, tolerance=self._tolerance, startTime=time)
            self._set_all(start, texts)
            self._call(calls.enterInitializationMode)
        else:
            self._set_all(start, texts)
            self._call(calls.enterInitializationMode, tolerance=self._tolerance, startTime=time)
        self.set(inputs)
        self._call(calls.exitInitializationMode)

    def _set_all(self, start: Given, texts: Mapping[int, str]) -> None:
        self.set(start)
        if texts:
            self._call(self._calls.setString, list(texts), list(texts.values()))

    def access(self, variables: Sequence[Variable]) -> Access:
        """Access to some of its variables, for `read` and `write`."""
        return Access(self._calls, self._archive.version, variables)

    def read(self, access: Access) -> Floats:
        """The numbers of some of its variables, in their order.

        Raises:
            UnitFailed: if it does not give them.
        """
        return self._call(access.read)

    def write(self, access: Access, values: Floats) -> None:
        """Set some of its variables.

        Raises:
            UnitFailed: if it does not accept them.
        """
        try:
            self._call(access.write, values)
        except OutOfRange as error:
            raise UnitFailed(str(error)) from None

    def set(self, given: Given) -> None:
        """Set variables to values.

        Raises:
            UnitFailed: if it does not accept them.
        """
        if given.variables:
            self.write(self.access(given.variables), given.values)

    def step(self, begin: float, end: float) -> float | None:
        """Step from one time to another [s].

        Returns:
            None, or the time at which it has ended itself.

        Raises:
            UnitFailed: if it does not get there.
        """
        while True:
            reached, is_over = self._do_step(begin, end)
            if is_over:
                return reached
            if reached >= end:
                return None
            if not reached > begin:
                raise UnitFailed(f"its step of {end - begin:g} s got no further than {reached:g} s")
            begin = reached

    def _do_step(self, begin: float, end: float) -> tuple[float, bool]:
        """Take one step; returns the time that it has reached [s], and whether it has ended itself."""
        size, keep_past = end - begin, self._archive.can_save
        if self._archive.version == 2:
            try:
                self._calls.doStep(begin, size, not keep_past)
            except self._failure as failure:
                if getattr(failure, "status", 0) != _DISCARD:
                    raise self._failed(failure) from None
                return self._discarded(failure)
            return end, False
        doing = partial(self._calls.doStep, begin, size, not keep_past)
        _, is_over, is_early, reached = self._call(doing)
        return (reached if is_early or is_over else end), is_over

    def _discarded(self, failure: Exception) -> tuple[float, bool]:
        """What a unit of FMI 2 says about a step that it did not finish."""
        states = fmpy("fmi2")
        if not self._call(self._calls.getBooleanStatus, states.fmi2Terminated):
            raise self._failed(failure)
        return float(self._call(self._calls.getRealStatus, states.fmi2LastSuccessfulTime)), True

    def save(self) -> object:
        """Its whole state, for `restore`.

        Raises:
            UnitFailed: if it does not give it.
        """
        return self._call(self._calls.getFMUState)

    def restore(self, state: object) -> None:
        """Return to a saved state.

        Raises:
            UnitFailed: if it does not.
        """
        self._call(self._calls.setFMUState, state)

    def forget(self, state: object) -> None:
        """Free a saved state.

        Raises:
            UnitFailed: if it does not.
        """
        self._call(self._calls.freeFMUState, state)

    def close(self, states: Sequence[object] = ()) -> None:
        """End it, and free its saved states; after a fatal failure nothing of it may be called any more.

        Raises:
            UnitFailed: if it fails at that.
        """
        if self._dead:
            return
        for state in states:
            self.forget(state)
        if self._begun and not self._wrong:
            self._call(self._calls.terminate)
        if not self._dead:
            self._dead = True
            self._calls.freeInstance()

    def _call(self, call: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
        try:
            return call(*arguments, **named)
        except self._failure as failure:
            raise self._failed(failure) from None

    def _failed(self, failure: Exception) -> UnitFailed:
        status = int(getattr(failure, "status", -1))
        self._wrong = True
        self._dead = self._dead or status == _FATAL
        name = _STATUS[status] if 0 <= status < len(_STATUS) else f"the unknown status {status}"
        function = getattr(failure, "function", "a call")
        return UnitFailed(f"{function} returned {name}{self.messages.last_words}")
