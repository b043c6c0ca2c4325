"""`--mismatch AXIS=LEVEL`, apart from the axes, which take their time to import."""

from __future__ import annotations

from typing import Annotated

import typer

from hetwin_suite.command import Group, beginning

AXES = Group(
    "hetwin.mismatches",
    "axis of mismatch",
    "a class derived from RecordingAxis, BeliefAxis, TwinAxis or RealityAxis",
)
"""Group in which packages name axes."""
OPTION = "--mismatch"


def completed(incomplete: str) -> list[str]:
    """Names of the installed axes, with the sign that a level follows."""
    return beginning(incomplete, [f"{name}=" for name in AXES.names()])


Mismatches = Annotated[
    list[str] | None,
    typer.Option(
        OPTION,
        metavar="AXIS=LEVEL",
        help="make it worse, e.g. finger_offset=0.0175; may be given several times; see hetwin list mismatches",
        autocompletion=completed,
    ),
]
