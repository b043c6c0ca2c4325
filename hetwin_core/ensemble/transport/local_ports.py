"""The ports of a run without ROS."""

from __future__ import annotations

from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.transport.remote.own_process import OwnProcess
from hetwin_core.ensemble.transport.remote.port import RemotePort


def local_ports(
    scenario: Scenario, heartbeat: Heartbeat | None = None, *, one_process: bool = False
) -> list[ModelPort]:
    """Return a port for each model, in the scenario's order.

    Args:
        scenario: names the models, and which of them get a process of their own.
        heartbeat: receives the calls that are under way in this process.
        one_process: keep all models in this process, whatever the scenario says; the digest is the same. For a run
            that is to be forked, and where another process watches each call.
    """
    return [
        RemotePort(plan, OwnProcess(plan))
        if plan.own_process and not one_process
        else LocalPort(plan, None if heartbeat is None else heartbeat.row(plan.index))
        for plan in scenario.models
    ]
