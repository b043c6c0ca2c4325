"""`hetwin calibrate hand`: calibration of a hand for the model `evidence`, from a recording without objects."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.command import Result, Scenario, option


def hand(
    bag: Annotated[
        Path, typer.Argument(metavar="BAG", help="recording in which the hand closes on nothing")
    ],
    scenario: Scenario,
    name: Annotated[
        str | None,
        typer.Option(
            "--of-hand", metavar="NAME", help="which hand; default: the scenario's only one"
        ),
    ] = None,
    out: Annotated[Path | None, option("--out", "the file that the model evidence reads")] = None,
) -> Result:
    """Learn the end positions of a hand's fingers when they close on nothing, and the mass on its force sensor.

    Every closing in the recording must be empty; each kind of closing is kept. The mass needs a wrist that rotates by
    at least 15 deg. The file is the parameter `calibration` of the model `evidence`.

    Example: hetwin calibrate hand scenarios/calibration/empty_closings pick_and_place --out hand.json
    """
    from hetwin_evidence.calibrating import calibrate_hand

    return calibrate_hand(bag, scenario, name, out)
