"""`hetwin check`: validates a scenario before it is run. `hetwin model new`: writes a package with a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hetwin_suite._commands.options import (
    Packages,
    Scenario,
    Source,
    Variant,
    option,
    package_folders,
)
from hetwin_suite._commands.result import Result


def check(
    scenario: Scenario,
    source: Source = None,
    package: Packages = None,
    variant: Variant = None,
) -> Result:
    """Read a scenario and all files that it names, take one step with its models, and list its contents.

    Without `--variant` the scenario's variants are read too, but no step is taken with them. If the source is a live
    robot, its settings are checked, but the check does not connect to the robot.

    Example: hetwin check scenarios/pick_and_place.yaml
    """
    from hetwin_suite._study.find import find_uncertainty
    from hetwin_suite.running.checks import check_scenario_watched

    packages = package_folders(package)
    facts = check_scenario_watched(scenario, source, packages, variant, find_uncertainty)
    return Result(facts, _facts(facts, variant))


def _facts(facts: Mapping[str, Any], variant: str | None) -> Iterator[str]:
    variant_text = f", variant {variant}," if variant else ""
    yield f"{facts['scenario']} ({facts['file']}){variant_text} is fine."
    for m in facts["models"]:
        yield f"  model {m['name']}: {m['type']}, {m['stepping']}, {m['rate']:g} steps/s"
    kinds: dict[str, list[str]] = {}
    for entity in facts["entities"]:
        kinds.setdefault(entity["kind"], []).append(entity["name"])
    for kind, names in kinds.items():
        yield f"  {kind}: {', '.join(names)}"
    yield f"  triggers: {', '.join(facts['triggers']) or 'none'}"
    if facts["variants"]:
        yield f"  variants: {', '.join(facts['variants'])}"
    for warning, count in Counter(facts["warnings"]).items():
        yield f"  warning: {warning}{f' ({count} times)' if count > 1 else ''}"


class Kind(StrEnum):
    """Kind of a new model."""

    OBSERVER = "observer"
    SIMULATION = "simulation"


def new_model(
    name: Annotated[str, typer.Argument(help="name of package and model type, e.g. fridge")],
    out: Annotated[
        Path | None, option("--out", "folder of the package, new or empty; default: NAME")
    ] = None,
    kind: Annotated[
        Kind,
        typer.Option(help="template of the model: an observer, or a simulation"),
    ] = Kind.OBSERVER,
) -> Result:
    """Write a package with a model of your own: model, scenario, test and entry point.

    The package works immediately, installed or from its folder; change it to your needs.

    Example: hetwin model new fridge --kind simulation
    """
    from hetwin_suite.scaffolding.new_model import write_package

    written = write_package(name, kind.value, out)
    return Result(
        written,
        [
            f"wrote the {written.kind} {written.type} to {written.folder}:",
            *(f"  {file}" for file in written.files),
            "try it:",
            f"  cd {written.folder}",
            f"  hetwin model check {written.type}",
            f"  hetwin run {name}.yaml --duration 3",
            "  python -m pytest",
        ],
    )
