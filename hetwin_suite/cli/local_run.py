"""A run with all models in this process."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.listener import RunListener
from hetwin_core.ensemble.conductor.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.projection.log_writer import RunLog


def run_locally(
    scenario: Scenario,
    options: RunOptions,
    out: Path,
    *listeners: RunListener,
    heartbeat: Heartbeat | None = None,
) -> tuple[Mapping[str, Any], int]:
    """Run, and answer summary and exit code; SIGINT and SIGTERM end the run at its next barrier.

    A model that hangs cannot be interrupted from its own process; `watched_run.run_watched` can.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        RunFailed: if a model fails before the run begins.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    ports = [
        LocalPort(plan, heartbeat.row(plan.index) if heartbeat else None)
        for plan in scenario.models
    ]
    conductor = Conductor(scenario, ports, [log, *listeners], options)
    conductor.prepare()
    interrupted = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            raise KeyboardInterrupt
        interrupted = True
        conductor.stop()

    before = {s: signal.signal(s, interrupt) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        summary = conductor.run()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return asdict(summary), exit_code(asdict(summary), interrupted)


def exit_code(summary: Mapping[str, Any], interrupted: bool) -> int:
    """130 after a signal, 1 if the run or one of its models failed, even if the run went on without it."""
    if interrupted:
        return 130
    return 1 if summary["ended"] == "failed" or summary["failures"] else 0
