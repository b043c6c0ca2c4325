"""A run with all models in this process."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from hetwin_suite.ensemble.conductor.conductor import Conductor
from hetwin_suite.ensemble.conductor.options import RunOptions
from hetwin_suite.ensemble.scenario.scenario import Scenario
from hetwin_suite.ensemble.transport.local import LocalPort
from hetwin_suite.hetwin_cli.progress import Progress
from hetwin_suite.projection.log_writer import RunLog


def run_locally(
    scenario: Scenario, options: RunOptions, out: Path, progress: Progress
) -> tuple[Mapping[str, Any], int]:
    """Run, and answer summary and exit code; SIGINT ends the run at its next barrier.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    ports = [LocalPort(plan) for plan in scenario.models]
    conductor = Conductor(scenario, ports, [log, progress], options)
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
    code = 130 if interrupted else 1 if summary.ended == "failed" else 0
    return asdict(summary), code
