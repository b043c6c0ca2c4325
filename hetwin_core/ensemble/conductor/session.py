"""A scenario with its models in one process, ready to be run."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from hetwin_core.ensemble.conductor.between_steps import AtBarrier
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.ensemble.transport.remote.own_process import OwnProcess
from hetwin_core.ensemble.transport.remote.port import RemotePort


def session(
    scenario: Scenario | str | Path,
    *,
    options: RunOptions | None = None,
    listeners: Sequence[RunListener] = (),
    at_barrier: AtBarrier | None = None,
    deadline_s: float | None = None,
    own_processes: bool = False,
    heartbeat: Heartbeat | None = None,
    idle: Callable[[float], None] = time.sleep,
    ports: Sequence[ModelPort] | None = None,
) -> Conductor:
    """Return the conductor of a run that has not begun; its `run` runs it.

    Args:
        scenario: what to run: its file, the name of an installed one, or one that `load_scenario` has returned.
        options: what the start says beyond it; their variant counts where the scenario is loaded here.
        listeners: receive what happens.
        at_barrier: called at every barrier after which the run goes on, the start at 0 s included, with the run as it
            stands there.
        deadline_s: wall time that a call of any model may take [s]; None: as the scenario says.
        own_processes: whether models have processes of their own where the scenario says so. The digest is the same;
            a run that is to be saved or forked has all models in this process.
        heartbeat: receives the calls that are under way in this process.
        idle: spends up to so many seconds, again and again, while the run is paused.
        ports: to the models, in their order; None: those of models in this process, or in ones of their own. What is
            said of calls, processes and deadlines is of these.

    Raises:
        BadInput: if there is no such scenario, or it cannot be used.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario, None if options is None else options.variant)
    if ports is None:
        called = scenario
        if deadline_s is not None:
            plans = [replace(p, deadline=deadline_s, patience=deadline_s) for p in scenario.models]
            called = replace(scenario, models=tuple(plans))
        ports = local_ports(called, heartbeat, one_process=not own_processes)
    conductor = Conductor(scenario, ports, listeners, options, idle)
    if at_barrier is not None:
        conductor.at_barriers(at_barrier)
    return conductor


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
