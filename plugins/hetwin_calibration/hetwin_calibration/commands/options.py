"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Robot = Annotated[
    str, typer.Argument(metavar="ROBOT", help="URDF, xacro or MJCF file, or a name such as panda")
]
Base = Annotated[
    str | None,
    typer.Option("--base", help="link where a chain begins; default: the robot's root"),
]
Tip = Annotated[
    str | None, typer.Option("--tip", help="link where the chain ends; default: the only last one")
]
LearnedInto = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="SCENARIO",
        help="scenario file, or name of one of hetwin's; --out extends it with the learned parameters",
    ),
]
