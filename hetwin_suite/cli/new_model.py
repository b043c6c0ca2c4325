"""`hetwin model new`: the package of a model of one's own."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite._commands.options import option
from hetwin_suite._commands.result import Result


class Kind(StrEnum):
    """What a model does."""

    OBSERVER = "observer"
    SIMULATION = "simulation"


def new_model(
    name: Annotated[str, typer.Argument(help="of the package and the model's type, e.g. fridge")],
    out: Annotated[
        Path | None, option("--out", "folder of the package, new or empty; default: NAME")
    ] = None,
    kind: Annotated[
        Kind,
        typer.Option(help="what it begins with: an observer, or a simulation"),
    ] = Kind.OBSERVER,
) -> Result:
    """Write a package with a model of your own: model, scenario, test and entry point.

    It works at once, installed or from its folder, and is there to be changed.

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
