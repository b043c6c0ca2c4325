"""One run of a batch in a process that has everything loaded."""

from __future__ import annotations

import time
from pathlib import Path

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunStart, RunSummary
from hetwin_core.ensemble.conductor.reporting.step_counter import StepCounter
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.ensemble.words import failure_words
from hetwin_core.projection.log_writer import RunLog

GRACE_S = 0.1
"""A call that returns this late is still reported by the run itself."""
STILL_S = 60.0
"""A run may stand still this long without a call under way."""


def run_once(
    scenario: Scenario, options: RunOptions, out: Path, heartbeat: Heartbeat | None = None
) -> tuple[RunStart, RunSummary]:
    """Run, with all models in this process, and return how it began and ended; a failed run has a summary, too.

    Args:
        scenario: what is run.
        options: what the start says.
        out: folder for log and summary, which must not hold a run.
        heartbeat: receives the calls that are under way.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        RunFailed: if a model fails before the run begins.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    ports = local_ports(scenario, heartbeat, one_process=True)
    listeners = [log] if heartbeat is None else [log, StepCounter(heartbeat)]
    conductor = Conductor(scenario, ports, listeners, options)
    start = conductor.prepare()
    return start, conductor.run()


def overdue(scenario: Scenario, heartbeat: Heartbeat) -> str | None:
    """Return which call of a run takes too long, in words; None if none does."""
    now = time.monotonic_ns()
    for call in heartbeat.under_way(len(scenario.models)):
        plan = scenario.models[call.index]
        deadline = plan.deadline_of(call.call)
        if now - call.begun_ns > (deadline + GRACE_S) * 1e9:
            reason = f"no answer within its deadline of {deadline:g} s"
            return failure_words(call.call, call.time_ns / 1e9, reason, plan.name)
    return None
