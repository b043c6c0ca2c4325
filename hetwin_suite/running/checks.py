"""Checks a scenario in a child process, which is killed if a model hangs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunStart
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.conductor.start.sources import COMMANDS, LIVE, source_spec
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.supervision.heartbeat import BEGUN, Heartbeat
from hetwin_core.ensemble.supervision.watched import Send, in_a_child
from hetwin_suite.running.patience import ProgressReminder, to_stderr
from model_nodes.main_physics.sources.factory import check_source

PREPARE_PATIENCE_S = 60.0
"""Maximum time without progress [s]; a large world may take long to load."""


def check_scenario_watched(
    name: str,
    source: str | None,
    packages: Mapping[str, str] | None = None,
    variant: str | None = None,
    *further_checks: Callable[[Scenario, RunStart], object],
) -> dict[str, Any]:
    """Take one step with a scenario's models, and return a summary.

    Args:
        name: scenario file, or name of one of hetwin's scenarios.
        source: source that replaces the scenario's; None: the scenario's.
        packages: name of a package:// -> its folder, in addition to those of the scenario.
        variant: variant with which the step is taken; None: none, and all variants are read without a step.
        further_checks: further checks, called when the models are initialized; each raises `BadInput` for an error.

    Raises:
        BadInput: if the scenario, its files or the source cannot be used.
        HetwinError: if a model fails; the error names the model.
    """
    heartbeat = Heartbeat()
    models: list[str] = []

    def progress() -> object:
        return len(models), [heartbeat.row(i)[BEGUN] for i in range(len(models))]

    def call_prefix() -> str:
        calls = heartbeat.under_way(len(models))
        return "".join(f"{models[c.index]}: {c.call} failed: " for c in calls[:1])

    def report_activity() -> None:
        calls = heartbeat.under_way(len(models))
        patience.remind(f"{models[calls[0].index]}: {calls[0].call}" if calls else "reading")

    patience = ProgressReminder(to_stderr)
    facts: dict[str, Any] = in_a_child(
        lambda send: _facts(name, source, packages or {}, variant, further_checks, heartbeat, send),
        models.extend,
        progress,
        PREPARE_PATIENCE_S,
        "transport/local.py",
        call_prefix,
        report_activity,
    )
    return facts


def _facts(
    name: str,
    source: str | None,
    packages: Mapping[str, str],
    variant: str | None,
    further_checks: Sequence[Callable[[Scenario, RunStart], object]],
    heartbeat: Heartbeat,
    send: Send,
) -> dict[str, Any]:
    path = find_scenario(name)
    loaded = load_scenario(path, variant)
    for other in loaded.file.variants if variant is None else ():
        load_scenario(path, other)
    send([plan.name for plan in loaded.models])
    one_step = RunOptions(source=source, duration=1.0 / loaded.clock.rate, packages=packages)
    spec = source_spec(loaded, one_step) or {}
    live_kind = next((key for key in (LIVE, COMMANDS) if key in spec), None)
    if live_kind is not None:
        check_source(spec)
        one_step = replace(one_step, source=None, no_source=True)
    conductor = session(loaded, options=one_step, heartbeat=heartbeat)
    start = conductor.prepare()
    for check in further_checks:
        check(loaded, start)
    error = conductor.run().error
    if error is not None:
        raise HetwinError(f"{error['model']}: {error['call']} failed: {error['reason']}")
    return {
        "scenario": loaded.name,
        "file": str(loaded.path),
        "variant": variant,
        "variants": list(loaded.file.variants),
        "source": start.source or (f"{live_kind}:{spec[live_kind]}" if live_kind else ""),
        "models": [
            {
                "name": m.name,
                "type": m.type,
                "stepping": m.stepping,
                "rate": m.rate,
            }
            for m in start.models
        ],
        "entities": [{"name": e.name, "kind": e.kind.value} for e in start.layout.entities],
        "triggers": [t.name for t in loaded.triggers],
        "warnings": list(start.warnings),
    }
