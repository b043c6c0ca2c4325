"""`hetwin check` and `hetwin check-model`: see that something is right before it is run."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import typer

from hetwin_suite.ensemble.conductor.conductor import Conductor
from hetwin_suite.ensemble.conductor.options import RunOptions
from hetwin_suite.ensemble.conductor.parameters import LIVE, source_spec
from hetwin_suite.ensemble.errors import HetwinError
from hetwin_suite.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_suite.ensemble.transport.local import LocalPort
from hetwin_suite.hetwin_cli.json_option import json_object
from hetwin_suite.hetwin_cli.listing import AsJson
from hetwin_suite.model_nodes.main_physics.sources.factory import check_live


def check(
    scenario: Annotated[str, typer.Argument(help="scenario file, or name of one of hetwin's")],
    source: Annotated[str | None, typer.Option(help="recording to check it with")] = None,
    as_json: AsJson = False,
) -> None:
    """Read a scenario and everything that it names, take one step with its models, and say what is there.

    A live robot is not listened to; what the scenario says of it is checked.

    Example: hetwin check scenarios/pick_and_place.yaml
    """
    loaded = load_scenario(find_scenario(scenario))
    ports = [LocalPort(plan) for plan in loaded.models]
    one_step = RunOptions(source=source, duration=1.0 / loaded.clock.rate)
    spec = source_spec(loaded, one_step) or {}
    if LIVE in spec:
        check_live(spec)
        one_step = replace(one_step, source=None, no_source=True)
    conductor = Conductor(loaded, ports, options=one_step)
    start = conductor.prepare()
    error = conductor.run().error
    if error is not None:
        raise HetwinError(f"{error['model']}: {error['call']} failed: {error['reason']}")
    facts = {
        "scenario": loaded.name,
        "file": str(loaded.path),
        "source": start.source or (f"{LIVE}:{spec[LIVE]}" if LIVE in spec else ""),
        "models": [
            {"name": m.name, "type": m.type, "stepping": m.stepping, "rate": m.rate}
            for m in start.models
        ],
        "entities": [{"name": e.name, "kind": e.kind.value} for e in start.layout.entities],
        "triggers": [t.name for t in loaded.triggers],
        "warnings": list(start.warnings),
    }
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    print(f"{loaded.name} ({loaded.path}) is fine.")
    for m in start.models:
        print(f"  model {m.name}: {m.type}, {m.kind}, {m.stepping}, {m.rate:g} steps/s")
    kinds: dict[str, list[str]] = {}
    for entity in start.layout.entities:
        kinds.setdefault(entity.kind.value, []).append(entity.name)
    for kind, names in kinds.items():
        print(f"  {kind}: {', '.join(names)}")
    print(f"  triggers: {', '.join(t.name for t in loaded.triggers) or 'none'}")
    for warning in start.warnings:
        print(f"  warning: {warning}")


def check_model(
    model: Annotated[str, typer.Argument(help="MODULE:CLASS, or a model type")],
    parameters: Annotated[
        str | None,
        typer.Option(help="values for parameters that cannot be made up, as a JSON object"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that a model keeps the contract that the conductor relies on.

    Example: hetwin check-model rigid_grasp
    """
    from hetwin_suite.ensemble.conformance.suite import check_model_type

    results = check_model_type(model, json_object(parameters, "--parameters"))
    if as_json:
        rows = [{"check": r.check, "ok": r.ok, "says": r.says} for r in results]
        print(
            json.dumps({"model": model, "ok": all(r.ok for r in results), "checks": rows}, indent=2)
        )
    else:
        for result in results:
            print(
                f"{'ok  ' if result.ok else 'FAIL'}  {result.check}{': ' if result.says else ''}{result.says}"
            )
    if not all(result.ok for result in results):
        raise typer.Exit(1)
