"""A unit at work: its files, its instance, its time, and its saved states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from tempfile import TemporaryDirectory

import numpy as np

from hetwin_fmu.archive import Archive
from hetwin_fmu.folders import new_folder
from hetwin_fmu.instance import CannotReset, Given, Instance, UnitFailed
from hetwin_fmu.messages import Message
from hetwin_fmu.pace import Pace
from hetwin_fmu.settings import Settings
from hetwin_fmu.variables import Variable
from hetwin_suite.model import Floats, Refused


@dataclass(frozen=True, slots=True)
class Wiring:
    """Which variables are set before a step, and read after it.

    Attributes:
        inputs: that are set.
        outputs: that give attributes their values.
        changes: that raise events.
        texts: start values of variables that hold text, by reference.
    """

    inputs: Sequence[Variable]
    outputs: Sequence[Variable]
    changes: Sequence[Variable]
    texts: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Saved:
    """A saved state, and the unit's own time then [ns]."""

    state: object
    time_ns: int


class RunningUnit:
    """Steps a unit in the time of the run.

    Its own time is that of the run, until a state is restored: from then on it is as much behind as the state is old.

    Args:
        archive: the unit.
        settings: of the model.
        wiring: the variables that are set and read.

    Attributes:
        is_over: whether the unit has ended itself.

    Raises:
        BadInput: if its program cannot be loaded.
        UnitFailed: if it does not make an instance.
    """

    def __init__(self, archive: Archive, settings: Settings, wiring: Wiring) -> None:
        self._archive = archive
        self._settings = settings
        self._wiring = wiring
        self._at_ns = self._behind_ns = 0
        self.is_over = False
        self._folder: TemporaryDirectory[str] | None = new_folder()
        archive.extract(self._folder.name)
        self._connect(self._folder.name)

    def _connect(self, folder: str) -> None:
        """Make an instance from the unit's files."""
        settings, wiring = self._settings, self._wiring
        self._instance = Instance(
            self._archive, folder, tolerance=settings.tolerance, verbose=settings.verbose
        )
        self._states: dict[str, _Saved] = {}
        self._inputs = self._instance.access(wiring.inputs)
        self._outputs = self._instance.access(wiring.outputs)
        self._changes = self._instance.access(wiring.changes)

    def begin_at(self, time_ns: int, start: Given, inputs: Given) -> None:
        """Begin at a time, or begin again.

        Raises:
            UnitFailed: if the unit does not begin from these values.
        """
        texts = self._wiring.texts
        try:
            self._instance.initialize(time_ns / 1e9, start, inputs, texts)
        except CannotReset:
            assert self._folder is not None
            self._instance.close()
            self._connect(self._folder.name)
            self._instance.initialize(time_ns / 1e9, start, inputs, texts)
        self._at_ns, self._behind_ns = time_ns, 0
        self._pace = Pace(self._archive, self._settings.step)
        self.is_over = False

    def step(self, time_ns: int, inputs: Floats) -> int | None:
        """Set the inputs and step to a time of the run.

        Returns:
            None, or the time of the run at which the unit has ended itself [ns].

        Raises:
            UnitFailed: if it does not get there.
        """
        behind, before = self._behind_ns, self._at_ns
        self._instance.write(self._inputs, inputs)
        for begin, end in pairwise(self._pace.times(before - behind, time_ns - behind)):
            ended = self._instance.step(begin, end)
            if ended is not None:
                self.is_over = True
                return min(max(round(ended * 1e9) + behind, before), time_ns)
        return None

    @property
    def time_ns(self) -> int:
        """The time of the run that it has reached [ns]."""
        return self._at_ns

    def pass_time(self, time_ns: int) -> None:
        """The run has reached a time, whether the unit has stepped there or rested."""
        self._at_ns = time_ns

    def outputs(self) -> Floats:
        """The numbers of all outputs.

        Raises:
            UnitFailed: if one is not finite, or the unit does not give them.
        """
        numbers = self._instance.read(self._outputs)
        if not np.isfinite(numbers).all():
            place = int(np.flatnonzero(~np.isfinite(numbers))[0])
            ends = np.cumsum([v.size for v in self._wiring.outputs])
            found = self._wiring.outputs[int(np.searchsorted(ends, place, side="right"))]
            raise UnitFailed(f"its variable {found.name} is not finite: {numbers[place]}")
        return numbers

    def changes(self) -> Floats:
        """The numbers of the variables that raise events.

        Raises:
            UnitFailed: if the unit does not give them.
        """
        return self._instance.read(self._changes)

    def note(self) -> str:
        """What to know about the steps that were taken, in words; empty if there is nothing."""
        return self._pace.note()

    def messages(self) -> list[Message]:
        """What the unit has logged since the last call."""
        return self._instance.messages.take()

    def set(self, given: Given) -> None:
        """Set variables.

        Raises:
            UnitFailed: if the unit does not accept the values.
        """
        self._instance.set(given)

    def save(self, name: str) -> None:
        """Save the unit's state under a name.

        Raises:
            Refused: if the unit cannot.
            UnitFailed: if it fails at that.
        """
        if not self._archive.can_save:
            raise Refused(f"{self._archive.name} can neither save nor restore its state")
        if name in self._states:
            self._instance.forget(self._states.pop(name).state)
        self._states[name] = _Saved(self._instance.save(), self._at_ns - self._behind_ns)

    def restore(self, name: str) -> None:
        """Return to a saved state, from which the unit goes on.

        Raises:
            Refused: if there is none of this name.
            UnitFailed: if the unit fails at that.
        """
        saved = self._states.get(name)
        if saved is None:
            names = ", ".join(repr(n) for n in self._states) or "none"
            raise Refused(f"{self._archive.name} has no saved state {name!r}; it has {names}")
        self._instance.restore(saved.state)
        self._behind_ns = self._at_ns - saved.time_ns
        self.is_over = False

    def close(self) -> None:
        """End the unit, and remove its files; a second call does nothing.

        Raises:
            UnitFailed: if the unit fails at that.
        """
        folder, self._folder = self._folder, None
        if folder is None:
            return
        try:
            self._instance.close([saved.state for saved in self._states.values()])
        finally:
            folder.cleanup()
