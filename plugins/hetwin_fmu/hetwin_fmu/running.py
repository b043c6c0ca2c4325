"""A running FMU: its files, its instance, its time, and its saved states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from tempfile import TemporaryDirectory

import numpy as np

from hetwin_fmu.archive import Archive
from hetwin_fmu.folders import new_folder
from hetwin_fmu.instance import Assignment, CannotReset, Instance, UnitFailed
from hetwin_fmu.messages import Message
from hetwin_fmu.pace import Pace
from hetwin_fmu.settings import Settings
from hetwin_fmu.variables import Variable
from hetwin_suite.model import Floats, Refused


@dataclass(frozen=True, slots=True)
class Wiring:
    """The variables that are set before a step and read after it.

    Attributes:
        inputs: variables that are set.
        outputs: variables that compute attributes.
        changes: variables that raise events.
        texts: value reference of a string variable -> start value.
    """

    inputs: Sequence[Variable]
    outputs: Sequence[Variable]
    changes: Sequence[Variable]
    texts: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Saved:
    """A saved state, and the FMU's time at which it was saved [ns]."""

    state: object
    time_ns: int


class RunningUnit:
    """Steps an FMU in the time of the run.

    The FMU's time is that of the run until a state is restored; from then on it lags by the age of that state.

    Args:
        archive: the FMU.
        settings: parameters of the model.
        wiring: the variables that are set and read.

    Attributes:
        is_over: whether the FMU has terminated the simulation.

    Raises:
        BadInput: if its binary cannot be loaded.
        UnitFailed: if the instantiation fails.
    """

    def __init__(self, archive: Archive, settings: Settings, wiring: Wiring) -> None:
        self._archive = archive
        self._settings = settings
        self._wiring = wiring
        self._at_ns = self._lag_ns = 0
        self.is_over = False
        self._folder: TemporaryDirectory[str] | None = new_folder()
        archive.extract(self._folder.name)
        self._connect(self._folder.name)

    def _connect(self, folder: str) -> None:
        """Make an instance from the FMU's files."""
        settings, wiring = self._settings, self._wiring
        self._instance = Instance(
            self._archive, folder, tolerance=settings.tolerance, verbose=settings.verbose
        )
        self._states: dict[str, _Saved] = {}
        self._inputs = self._instance.access(wiring.inputs)
        self._outputs = self._instance.access(wiring.outputs)
        self._changes = self._instance.access(wiring.changes)

    def begin_at(self, time_ns: int, start: Assignment, inputs: Assignment) -> None:
        """Initialize the FMU, or initialize it again.

        Raises:
            UnitFailed: if the FMU does not accept the values.
        """
        texts = self._wiring.texts
        try:
            self._instance.initialize(time_ns / 1e9, start, inputs, texts)
        except CannotReset:
            assert self._folder is not None
            self._instance.close()
            self._connect(self._folder.name)
            self._instance.initialize(time_ns / 1e9, start, inputs, texts)
        self._at_ns, self._lag_ns = time_ns, 0
        self._pace = Pace(self._archive, self._settings.step)
        self.is_over = False

    def step(self, time_ns: int, inputs: Floats) -> int | None:
        """Set the inputs and step to a time of the run.

        Returns:
            The time of the run at which the FMU terminated the simulation [ns]; None if it did not.

        Raises:
            UnitFailed: if the FMU does not reach the time.
        """
        lag, before = self._lag_ns, self._at_ns
        self._instance.write(self._inputs, inputs)
        for begin, end in pairwise(self._pace.times(before - lag, time_ns - lag)):
            end_s = self._instance.step(begin, end)
            if end_s is not None:
                self.is_over = True
                return min(max(round(end_s * 1e9) + lag, before), time_ns)
        return None

    @property
    def time_ns(self) -> int:
        """The reached time of the run [ns]."""
        return self._at_ns

    def pass_time(self, time_ns: int) -> None:
        """Set the reached time of the run, whether or not the FMU has stepped."""
        self._at_ns = time_ns

    def outputs(self) -> Floats:
        """Return the numbers of all outputs.

        Raises:
            UnitFailed: if one is not finite, or reading fails.
        """
        numbers = self._instance.read(self._outputs)
        if not np.isfinite(numbers).all():
            index = int(np.flatnonzero(~np.isfinite(numbers))[0])
            ends = np.cumsum([v.size for v in self._wiring.outputs])
            found = self._wiring.outputs[int(np.searchsorted(ends, index, side="right"))]
            raise UnitFailed(f"its variable {found.name} is not finite: {numbers[index]}")
        return numbers

    def changes(self) -> Floats:
        """Return the numbers of the variables that raise events.

        Raises:
            UnitFailed: if reading fails.
        """
        return self._instance.read(self._changes)

    def note(self) -> str:
        """See `Pace.note`."""
        return self._pace.note()

    def messages(self) -> list[Message]:
        """Return the messages that the FMU has logged since the last call."""
        return self._instance.messages.take()

    def set(self, assignment: Assignment) -> None:
        """Set variables.

        Raises:
            UnitFailed: if the FMU does not accept the values.
        """
        self._instance.set(assignment)

    def save(self, name: str) -> None:
        """Save the FMU's state under a name.

        Raises:
            Refused: if the FMU does not support it.
            UnitFailed: if saving fails.
        """
        if not self._archive.can_save:
            raise Refused(f"{self._archive.name} can neither save nor restore its state")
        if name in self._states:
            self._instance.forget(self._states.pop(name).state)
        self._states[name] = _Saved(self._instance.save(), self._at_ns - self._lag_ns)

    def restore(self, name: str) -> None:
        """Restore a saved state, from which the FMU continues.

        Raises:
            Refused: if there is no saved state of this name.
            UnitFailed: if restoring fails.
        """
        saved = self._states.get(name)
        if saved is None:
            names = ", ".join(repr(n) for n in self._states) or "none"
            raise Refused(f"{self._archive.name} has no saved state {name!r}; it has {names}")
        self._instance.restore(saved.state)
        self._lag_ns = self._at_ns - saved.time_ns
        self.is_over = False

    def close(self) -> None:
        """Terminate the FMU, and remove its files; a second call does nothing.

        Raises:
            UnitFailed: if the termination fails.
        """
        folder, self._folder = self._folder, None
        if folder is None:
            return
        try:
            self._instance.close([saved.state for saved in self._states.values()])
        finally:
            folder.cleanup()
