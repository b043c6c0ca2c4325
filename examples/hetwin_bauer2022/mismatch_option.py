"""The option `--mismatch AXIS=LEVEL`, in a module of its own, since the axes are slow to import."""

from __future__ import annotations

from typing import Annotated

import typer

from hetwin_suite.command import Group, completions

AXES = Group(
    "hetwin.mismatches",
    "axis of mismatch",
    "a class derived from RecordingAxis, BeliefAxis, TwinAxis or RealityAxis",
)
"""Group of entry points for axes."""
OPTION = "--mismatch"


def complete_axes(incomplete: str) -> list[str]:
    """Return the names of the installed axes, each followed by ``=``."""
    return completions(incomplete, [f"{name}=" for name in AXES.names()])


Mismatches = Annotated[
    list[str] | None,
    typer.Option(
        OPTION,
        metavar="AXIS=LEVEL",
        help="add a mismatch, e.g. finger_offset=0.0175; may be given several times; see hetwin list mismatches",
        autocompletion=complete_axes,
    ),
]
