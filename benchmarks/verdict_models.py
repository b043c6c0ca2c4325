"""Models that end a run of the benchmark of verdicts: one raises, one stops the run as Ctrl-C does."""

from __future__ import annotations

import os
import signal

from hetwin_core.ensemble.model import Contribution, Model, Tick
from hetwin_core.ensemble.parameters import Amount, Parameters, parameter


class Settings(Parameters):
    """The parameters of both."""

    at: Amount = parameter("when it happens", 1.0, "s")


class Raises(Model[Settings]):
    """Raises an error at its time."""

    rate = 50.0

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Read when it happens."""
        self._at_ns = round(settings.at * 1e9)

    def step(self, tick: Tick) -> None:
        """Do nothing until it happens."""
        if tick.time_ns >= self._at_ns:
            self._at_ns = 1 << 62
            self._happen()

    def _happen(self) -> None:
        raise ValueError("the planted error")


class Stops(Raises):
    """Interrupts its own process at its time, as a person does."""

    def _happen(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
