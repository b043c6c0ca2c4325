"""A run on this machine without ROS: models in this process, or, where the scenario says so, in one of their own."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.supervision.interrupts import Interrupted, Interrupts
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.projection.log_writer import RunLog
from hetwin_suite.running.ended import Ended, exit_code


def run_locally(
    scenario: Scenario,
    options: RunOptions,
    out: Path,
    *listeners: RunListener,
    heartbeat: Heartbeat | None = None,
) -> Ended:
    """Run; SIGINT and SIGTERM end the run at its next barrier.

    A model that hangs cannot be interrupted from its own process; `watched.run_watched` can.

    Raises:
        BadInput: if the scenario's files or the source cannot be used.
        RunFailed: if a model fails before the run begins.
        Interrupted: if it is interrupted twice.
    """
    log = RunLog(out, state_rate=scenario.file.log.state_rate)
    ports = local_ports(scenario, heartbeat)
    conductor = Conductor(scenario, ports, [log, *listeners], options)
    conductor.prepare()

    def stop(count: int, number: int) -> None:
        if count > 1:
            raise Interrupted(number)
        conductor.stop()

    with Interrupts(stop) as interrupts:
        summary = asdict(conductor.run())
    return Ended(summary, exit_code(summary, interrupts.first), out, interrupts.first)
