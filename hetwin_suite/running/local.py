"""A run on this machine without ROS, with its checkpoint."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import write_checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart
from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.run_folder import CHECKPOINT
from hetwin_suite.running.request import FinishedRun, RunRequest, exit_code

COMPANIONS = Group(
    "hetwin.companions",
    "companion of runs",
    "a function of the conductor of a run in one process, its scenario and its options",
)
"""Entry points of packages that extend runs; each is called before the models are initialized."""
ORPHAN_S = 1.0
"""Maximum time to the next barrier for a run whose parent was killed [s]; the run kills itself after it."""


def run_locally(
    request: RunRequest,
    scenario: Scenario,
    out: Path,
    *listeners: RunListener,
    heartbeat: Heartbeat | None = None,
    on_conductor: Callable[[Conductor], None] = lambda _: None,
    idle: Callable[[float], None] = time.sleep,
) -> FinishedRun:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    A model that hangs cannot be interrupted in its own process; see `watched.run_watched` for such models.

    Args:
        request: start options and checkpoint of the run.
        scenario: scenario to run.
        out: folder for the log.
        listeners: listeners of the run in addition to the log.
        heartbeat: where calls of models are recorded for a supervising process; None: no supervision.
        on_conductor: called with the conductor, which controls the run, before the models are initialized.
        idle: waits for at most the given seconds; called repeatedly while the run is paused or ahead of its pace.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        RunFailed: if a model fails before the run begins.
        Interrupted: if the run is interrupted twice.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    checkpoint_s, resumed_from = request.checkpoint_s, request.resumed_from
    one_process = checkpoint_s is not None or resumed_from is not None
    conductor = session(
        scenario,
        options=request.options,
        listeners=[log, RunJudge(log), *listeners],
        own_processes=not one_process,
        heartbeat=heartbeat,
        idle=idle,
    )
    request.apply_controls(conductor)
    for _, companion in COMPANIONS.each():
        companion(conductor, scenario, request.options)
    on_conductor(conductor)
    writer = None if checkpoint_s is None else CheckpointWriter(conductor, checkpoint_s, out)
    start = conductor.prepare() if resumed_from is None else conductor.continue_from(resumed_from)
    if writer is not None:
        try:
            writer.check_time(start)
        except BadInput:
            conductor.stop_models()
            raise

    parent = os.getppid()

    def stop(count: int, number: int) -> None:
        if count > 1:
            raise Interrupted(number)
        conductor.stop()
        if heartbeat is not None and os.getppid() != parent:
            signal.setitimer(
                signal.ITIMER_REAL, ORPHAN_S
            )  # without a parent, nothing else would end a run that hangs

    with Interrupts(stop) as interrupts:
        summary = asdict(conductor.run())
        if heartbeat is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    if writer is not None:
        writer.warn_if_missing()
    return FinishedRun(summary, exit_code(summary, interrupts.first), out, interrupts.first)


class CheckpointWriter:
    """Writes the checkpoint of a run into its folder.

    Args:
        conductor: conductor of the run.
        at_s: simulated time of the checkpoint; it is written at the first barrier at or after it [s].
        folder: folder of the run.
    """

    def __init__(self, conductor: Conductor, at_s: float, folder: Path) -> None:
        self._at_ns = round(at_s * 1e9)
        self._path = folder / CHECKPOINT
        self._written = False
        conductor.at_barriers(self._at_barrier)

    def check_time(self, start: RunStart) -> None:
        """Check that the run lasts until the checkpoint.

        Raises:
            BadInput: if the run's source ends before it.
        """
        end = start.duration_ns
        if end is not None and self._at_ns >= end:
            raise BadInput(
                "the run ends before the checkpoint",
                where="--checkpoint",
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
        """Print a warning on stderr if the run ended before the checkpoint."""
        if not self._written:
            text = f"warning: no checkpoint: the run ended before {self._at_ns / 1e9:g} s"
            print(text, file=sys.stderr)
