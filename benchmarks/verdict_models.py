"""Models that end a run of the benchmark of verdicts: one raises, one stops the run as Ctrl-C does."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.model import (
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.parameters import Amount, Parameters, parameter


class Settings(Parameters):
    """The parameters of both."""

    at: Amount = parameter("when it happens", 1.0, "s")


class Raises(Model):
    """Raises an error at its time."""

    settings_class = Settings

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        return ModelDescription(kind=ModelKind.OBSERVER, summary="Ends a run.", rate=50.0)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Read when it happens."""
        self._at_ns = round(Settings.read(parameters).at * 1e9)
        return Contribution()

    def step(self, tick: StepInput) -> StepOutput:
        """Do nothing until it happens."""
        if tick.time_ns >= self._at_ns:
            self._at_ns = 1 << 62
            self._happen()
        return StepOutput(time_ns=tick.time_ns)

    def _happen(self) -> None:
        raise ValueError("the planted error")


class Stops(Raises):
    """Interrupts its own process at its time, as a person does."""

    def _happen(self) -> None:
        os.kill(os.getpid(), signal.SIGINT)
