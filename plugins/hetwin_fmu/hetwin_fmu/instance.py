"""An instance of an FMU, with the same interface for FMI 2 and FMI 3.

Event mode and early return of FMI 3 are not used: every FMU must be able to step without them, and then handles its
events internally. Triggers act at the end of a step anyway.
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
"""Parts of the names of log categories for problems."""
_DISCARD, _FATAL = 2, 4
_STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")


class UnitFailed(Exception):
    """A call of an FMU failed; the text has the function and the reason."""


class CannotReset(UnitFailed):
    """An instance of an FMU cannot be reset; a new instance is needed."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Variables and the values to which they are set.

    Attributes:
        variables: variables of the FMU.
        values: (n,) their numbers, in the order of the variables.
    """

    variables: tuple[Variable, ...]
    values: Floats


class Instance:
    """An instance of an FMU, from its instantiation to its termination.

    Args:
        archive: the FMU.
        folder: folder of its extracted files.
        tolerance: relative tolerance of its solver; None: the FMU's default.
        verbose: whether it logs in all categories.

    Attributes:
        messages: logged messages.

    Raises:
        BadInput: if its binary cannot be loaded.
        UnitFailed: if the instantiation fails.
    """

    def __init__(
        self, archive: Archive, folder: str, *, tolerance: float | None, verbose: bool
    ) -> None:
        self._archive = archive
        self._tolerance = tolerance
        self._is_initialized = self._has_failed = self._is_dead = False
        self.messages = Messages(verbose=verbose)
        self._failure: type[Exception] = fmpy("fmi1").FMICallException
        self._calls: Any = self._loaded(folder)
        if not verbose:
            self._log_only_problems()

    def _loaded(self, folder: str) -> Any:
        log = self.messages.log2 if self._archive.version == 2 else self.messages.log3
        before = Path.cwd()
        try:
            return fmpy().instantiate_fmu(
                folder,
                self._archive.description,
                fmi_type="CoSimulation",
                debug_logging=True,  # some FMUs never log if it is off at instantiation
                logger=log,
            )
        except Exception as error:  # FMPy raises plain exceptions
            if str(error).startswith("Failed to instantiate"):
                raise UnitFailed(f"it makes no instance{self.messages.last_words}") from None
            raise BadInput(
                f"the program of this unit cannot be loaded: {error}",
                where="file",
                found=str(self._archive.path),
                expected="a unit whose libraries are installed on this machine",
            ) from error
        finally:
            os.chdir(before)  # FMPy does not restore it if loading fails

    def _log_only_problems(self) -> None:
        """Restrict logging to the categories for warnings and errors; disable it if there are none."""
        names = [c.name for c in self._archive.description.logCategories if c.name]
        wanted = [n for n in names if any(word in n.lower() for word in _WRONG)]
        self._call(self._calls.setDebugLogging, bool(wanted), wanted)

    def initialize(
        self, time: float, start: Assignment, inputs: Assignment, texts: Mapping[int, str]
    ) -> None:
        """Initialize the instance; an instance that was initialized before is reset first.

        Args:
            time: start time [s].
            start: start values.
            inputs: values of the inputs at that time.
            texts: value reference of a string variable -> start value.

        Raises:
            CannotReset: if the reset fails.
            UnitFailed: if the FMU does not accept the values.
        """
        calls = self._calls
        if self._is_initialized:
            try:
                self._call(calls.reset)
            except UnitFailed as failure:
                raise CannotReset(str(failure)) from None
        self._is_initialized = True
        if self._archive.version == 2:
            self._call(calls.setupExperiment, tolerance=self._tolerance, startTime=time)
            self._set_all(start, texts)
            self._call(calls.enterInitializationMode)
        else:
            self._set_all(start, texts)
            self._call(calls.enterInitializationMode, tolerance=self._tolerance, startTime=time)
        self.set(inputs)
        self._call(calls.exitInitializationMode)

    def _set_all(self, start: Assignment, texts: Mapping[int, str]) -> None:
        self.set(start)
        if texts:
            self._call(self._calls.setString, list(texts), list(texts.values()))

    def access(self, variables: Sequence[Variable]) -> Access:
        """Return the access to some variables, for `read` and `write`."""
        return Access(self._calls, self._archive.version, variables)

    def read(self, access: Access) -> Floats:
        """Return the numbers of some variables, in the order of the access.

        Raises:
            UnitFailed: if reading fails.
        """
        return self._call(access.read)

    def write(self, access: Access, values: Floats) -> None:
        """Set some variables.

        Raises:
            UnitFailed: if the FMU does not accept the values.
        """
        try:
            self._call(access.write, values)
        except OutOfRange as error:
            raise UnitFailed(str(error)) from None

    def set(self, assignment: Assignment) -> None:
        """Set variables to values.

        Raises:
            UnitFailed: if the FMU does not accept the values.
        """
        if assignment.variables:
            self.write(self.access(assignment.variables), assignment.values)

    def step(self, begin: float, end: float) -> float | None:
        """Step from one time to another [s].

        Returns:
            The time at which the FMU terminated the simulation [s]; None if it did not.

        Raises:
            UnitFailed: if the FMU does not reach the end.
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
        """Do one communication step; returns the reached time [s], and whether the FMU terminated the simulation."""
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
        """Return the reached time of a discarded step of FMI 2, and True for termination.

        Raises:
            UnitFailed: if the step was discarded for another reason.
        """
        states = fmpy("fmi2")
        if not self._call(self._calls.getBooleanStatus, states.fmi2Terminated):
            raise self._failed(failure)
        return float(self._call(self._calls.getRealStatus, states.fmi2LastSuccessfulTime)), True

    def save(self) -> object:
        """Return the complete state, for `restore`.

        Raises:
            UnitFailed: if saving fails.
        """
        return self._call(self._calls.getFMUState)

    def restore(self, state: object) -> None:
        """Restore a saved state.

        Raises:
            UnitFailed: if restoring fails.
        """
        self._call(self._calls.setFMUState, state)

    def forget(self, state: object) -> None:
        """Free a saved state.

        Raises:
            UnitFailed: if freeing fails.
        """
        self._call(self._calls.freeFMUState, state)

    def close(self, states: Sequence[object] = ()) -> None:
        """Terminate the instance, and free it and its saved states; does nothing after a fatal error.

        Raises:
            UnitFailed: if a call fails.
        """
        if self._is_dead:
            return
        for state in states:
            self.forget(state)
        if self._is_initialized and not self._has_failed:
            self._call(self._calls.terminate)
        if not self._is_dead:
            self._is_dead = True
            self._calls.freeInstance()

    def _call(self, call: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
        try:
            return call(*arguments, **named)
        except self._failure as failure:
            raise self._failed(failure) from None

    def _failed(self, failure: Exception) -> UnitFailed:
        status = int(getattr(failure, "status", -1))
        self._has_failed = True
        self._is_dead = self._is_dead or status == _FATAL
        name = _STATUS[status] if 0 <= status < len(_STATUS) else f"the unknown status {status}"
        function = getattr(failure, "function", "a call")
        return UnitFailed(f"{function} returned {name}{self.messages.last_words}")
