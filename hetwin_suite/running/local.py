"""A run on this machine without ROS, and its checkpoint: models in this process, or where the scenario has them."""

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
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.run_folder import CHECKPOINT
from hetwin_suite.running.request import Ended, RunRequest, exit_code

ORPHAN_S = 1.0
"""A run whose parent was killed may take so long to its next barrier [s]."""


def run_locally(
    request: RunRequest,
    scenario: Scenario,
    out: Path,
    *listeners: RunListener,
    heartbeat: Heartbeat | None = None,
    at_hand: Callable[[Conductor], None] = lambda _: None,
    idle: Callable[[float], None] = time.sleep,
) -> Ended:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    A model that hangs cannot be interrupted from its own process; `watched.run_watched` can.

    Args:
        request: its start, and its checkpoint.
        scenario: to run.
        out: folder for the log.
        listeners: follow the run beside the log.
        heartbeat: where calls of models are noted, if somebody watches them.
        at_hand: is called with the controls of the run, before its models are made ready.
        idle: spends up to so many seconds, again and again, while the run is paused or waits for its pace.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        RunFailed: if a model fails before the run begins.
        Interrupted: if it is interrupted twice.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    checkpoint_s, going_on = request.checkpoint_s, request.going_on
    whole = checkpoint_s is not None or going_on is not None
    conductor = session(
        scenario,
        options=request.options,
        listeners=[log, RunJudge(log), *listeners],
        own_processes=not whole,
        heartbeat=heartbeat,
        idle=idle,
    )
    request.set_off(conductor)
    at_hand(conductor)
    writer = None if checkpoint_s is None else CheckpointWriter(conductor, checkpoint_s, out)
    start = conductor.prepare() if going_on is None else conductor.go_on_from(going_on)
    if writer is not None:
        try:
            writer.check_time(start)
        except BadInput:
            conductor.dismiss()
            raise

    parent = os.getppid()

    def stop(count: int, number: int) -> None:
        if count > 1:
            raise Interrupted(number)
        conductor.stop()
        if heartbeat is not None and os.getppid() != parent:
            signal.setitimer(
                signal.ITIMER_REAL, ORPHAN_S
            )  # nobody is left who would end it if it came to no barrier

    with Interrupts(stop) as interrupts:
        summary = asdict(conductor.run())
        if heartbeat is not None:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    if writer is not None:
        writer.warn_if_missing()
    return Ended(summary, exit_code(summary, interrupts.first), out, interrupts.first)


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
        """Print on stderr that the run ended before it came so far."""
        if not self._written:
            text = f"warning: no checkpoint: the run ended before {self._at_ns / 1e9:g} s"
            print(text, file=sys.stderr)
