"""Writes a run's checkpoint, once, at the first barrier at or after a time."""

from __future__ import annotations

import sys
from pathlib import Path

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import write_checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunStart
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import ends_itself
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.episodes.run_folder import CHECKPOINT

OPTION = "--checkpoint"


class CheckpointWriter:
    """Writes the checkpoint of a run into its folder.

    Args:
        conductor: of the run.
        at_s: when [s].
        folder: of the run.
    """

    def __init__(self, conductor: Conductor, at_s: float, folder: Path) -> None:
        self._at_ns = round(at_s * 1e9)
        self._path = folder / CHECKPOINT
        self._written = False
        conductor.at_barriers(self._at_barrier)

    def check_time(self, start: RunStart) -> None:
        """Check that the run does not end before.

        Raises:
            BadInput: if it does.
        """
        end = start.duration_ns
        if end is not None and self._at_ns >= end:
            raise BadInput(
                "the run ends before",
                where=OPTION,
                found=self._at_ns / 1e9,
                expected=f"a time before its end at {end / 1e9:g} s",
            )

    def _at_barrier(self, now: BetweenSteps) -> None:
        if self._written or now.time_ns < self._at_ns:
            return
        self._written = True
        try:
            write_checkpoint(now.checkpoint(), self._path)
        except (Refused, OSError) as error:
            raise RunFailed("conductor", "checkpoint", now.time_ns, str(error)) from error

    def warn_if_missing(self) -> None:
        """Print on stderr that the run ended before it came so far."""
        if not self._written:
            text = f"warning: no checkpoint: the run ended before {self._at_ns / 1e9:g} s"
            print(text, file=sys.stderr)


def check_can_be_saved(scenario: Scenario, options: RunOptions) -> None:
    """Check what is known of a run's models and source before it begins.

    Raises:
        BadInput: if a model does not step by service, or no other process could go on with the source.
    """
    for plan in scenario.models:
        if plan.stepping is not Stepping.SERVICE:
            raise scenario.placed(
                BadInput(
                    f"a run with {plan.name} cannot be saved: it does not wait for this model",
                    where=f"models.{plan.name}.step",
                    found=plan.stepping.value,
                    expected="step: service, or no --checkpoint",
                )
            )
    if ends_itself(scenario, options):
        raise BadInput(
            "this run cannot be saved: nothing can go on with its source in another process",
            where=OPTION,
            expected="a recording or a trajectory as source, or no --checkpoint",
        )
