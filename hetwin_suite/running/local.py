"""A run on this machine without ROS: models in this process, or, where the scenario says so, in one of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.conductor.session import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_core.episodes.log_writer import RunLog
from hetwin_suite.running.checkpointing import CheckpointWriter
from hetwin_suite.running.request import Ended, exit_code


def run_locally(
    scenario: Scenario,
    options: RunOptions,
    out: Path,
    *listeners: RunListener,
    heartbeat: Heartbeat | None = None,
    at_hand: Callable[[Conductor], None] = lambda _: None,
    idle: Callable[[float], None] = time.sleep,
    checkpoint_s: float | None = None,
    going_on: Checkpoint | None = None,
) -> Ended:
    """Run; SIGINT, SIGTERM and SIGHUP end the run at its next barrier.

    A model that hangs cannot be interrupted from its own process; `watched.run_watched` can.

    Args:
        scenario: what to run.
        options: what the start says beyond it.
        out: folder for the log.
        listeners: follow the run beside the log.
        heartbeat: where calls of models are noted, if somebody watches them.
        at_hand: is called with what the run can be taken in hand by, before its models are made ready.
        idle: spends up to so many seconds, again and again, while the run is paused or waits for its pace.
        checkpoint_s: when a checkpoint is written into the folder [s]; None: never.
        going_on: the checkpoint that it goes on from; None: it begins at 0 s.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        RunFailed: if a model fails before the run begins.
        Interrupted: if it is interrupted twice.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    whole = checkpoint_s is not None or going_on is not None
    conductor = session(
        scenario,
        options=options,
        listeners=[log, RunJudge(log), *listeners],
        own_processes=not whole,
        heartbeat=heartbeat,
        idle=idle,
    )
    at_hand(conductor)
    writer = None if checkpoint_s is None else CheckpointWriter(conductor, checkpoint_s, out)
    start = conductor.prepare() if going_on is None else conductor.go_on_from(going_on)
    if writer is not None:
        try:
            writer.check_time(start)
        except BadInput:
            conductor.dismiss()
            raise

    def stop(count: int, number: int) -> None:
        if count > 1:
            raise Interrupted(number)
        conductor.stop()

    with Interrupts(stop) as interrupts:
        summary = asdict(conductor.run())
    if writer is not None:
        writer.warn_if_missing()
    return Ended(summary, exit_code(summary, interrupts.first), out, interrupts.first)
