"""`hetwin new-model`: the package of a model of one's own."""

from __future__ import annotations

import json
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.cli.options import AsJson


class Kind(StrEnum):
    """What a model does."""

    OBSERVER = "observer"
    SIMULATION = "simulation"


def new_model(
    name: Annotated[str, typer.Argument(help="of the package and the model's type, e.g. fridge")],
    out: Annotated[
        Path | None, typer.Option(help="folder of the package, new or empty; default: NAME")
    ] = None,
    kind: Annotated[
        Kind,
        typer.Option(help="what it begins with: an observer, or a simulation"),
    ] = Kind.OBSERVER,
    as_json: AsJson = False,
) -> None:
    """Write a package with a model of your own: model, scenario, test and entry point.

    It works at once, installed or from its folder, and is there to be changed.

    Example: hetwin new-model fridge --kind simulation
    """
    from hetwin_suite.scaffolding.new_model import write_package

    written = write_package(name, kind.value, out)
    if as_json:
        print(json.dumps(asdict(written), indent=2, default=str))
        return
    print(f"wrote the {written.kind} {written.type} to {written.folder}:")
    for file in written.files:
        print(f"  {file}")
    print("try it:")
    print(f"  cd {written.folder}")
    print(f"  hetwin check-model {written.type}")
    print(f"  hetwin run {name}.yaml --duration 3")
    print("  python -m pytest")
