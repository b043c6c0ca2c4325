"""`hetwin check` and `hetwin check-model`: see whether something is right before it is run."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer

from hetwin_suite.cli import completion
from hetwin_suite.cli.options import (
    AsJson,
    Packages,
    Scenario,
    Variant,
    json_object,
    package_folders,
)


def check(
    scenario: Scenario,
    source: Annotated[str | None, typer.Option(help="recording to check it with")] = None,
    package: Packages = None,
    variant: Variant = None,
    as_json: AsJson = False,
) -> None:
    """Read a scenario and everything that it names, take one step with its models, and say what is there.

    Without `--variant` the scenario's variants are read too, but no step is taken with them. A live robot is not
    listened to; what the scenario says of it is checked.

    Example: hetwin check scenarios/pick_and_place.yaml
    """
    from hetwin_suite.futures.drawing.find import find_uncertainty
    from hetwin_suite.running.checks import check_scenario_watched

    packages = package_folders(package)
    facts = check_scenario_watched(scenario, source, packages, variant, find_uncertainty)
    if as_json:
        print(json.dumps(facts, indent=2))
        return
    of = f", variant {variant}," if variant else ""
    print(f"{facts['scenario']} ({facts['file']}){of} is fine.")
    for m in facts["models"]:
        print(
            f"  model {m['name']}: {m['type']}, {m['kind']}, {m['stepping']}, {m['rate']:g} steps/s"
        )
    kinds: dict[str, list[str]] = {}
    for entity in facts["entities"]:
        kinds.setdefault(entity["kind"], []).append(entity["name"])
    for kind, names in kinds.items():
        print(f"  {kind}: {', '.join(names)}")
    print(f"  triggers: {', '.join(facts['triggers']) or 'none'}")
    if facts["variants"]:
        print(f"  variants: {', '.join(facts['variants'])}")
    for warning, count in Counter(facts["warnings"]).items():
        print(f"  warning: {warning}{f' ({count} times)' if count > 1 else ''}")


def check_model(
    model: Annotated[
        str,
        typer.Argument(help="MODULE:CLASS, or a model type", autocompletion=completion.model_types),
    ],
    parameters: Annotated[
        str | None,
        typer.Option(help="values for parameters that cannot be made up, as a JSON object"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that a model keeps the contract that the conductor relies on.

    Example: hetwin check-model rigid_grasp
    """
    from hetwin_suite.running.checks import check_model_watched

    results = check_model_watched(model, json_object(parameters, "--parameters"))
    if as_json:
        rows = [{"check": r.check, "ok": r.ok, "says": r.detail} for r in results]
        print(
            json.dumps({"model": model, "ok": all(r.ok for r in results), "checks": rows}, indent=2)
        )
    else:
        for result in results:
            print(
                f"{'ok  ' if result.ok else 'FAIL'}  {result.check}{': ' if result.detail else ''}{result.detail}"
            )
    if not all(result.ok for result in results):
        raise typer.Exit(1)
