"""`hetwin calibrate travel`: how long a robot takes for its commands, from the rows of the smart logger."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._commands.options import LearnedInto, option
from hetwin_suite._commands.result import Result

if TYPE_CHECKING:
    from hetwin_core.kinematics.travel import Chosen, Lap, TravelFit


def travel(
    log: Annotated[
        Path,
        typer.Argument(
            help="CSV with the columns T, rotation, displacement, lap_real, lap_virtual"
        ),
    ],
    predict: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="commands whose times are wanted: rotation, displacement, lap_virtual",
        ),
    ] = None,
    scenario: LearnedInto = None,
    out: Annotated[Path | None, option("--out", "the new scenario; never the old one")] = None,
) -> Result:
    """Learn speeds, accelerations and lag of the real robot from the laps of its commands, and predict others.

    Laps that were disturbed hardly count. Cross-validation chooses what predicts: the virtual robot as it is, a
    straight line through its times, or the model that was learned. hetwin machines link --log writes such a table.

    Example: hetwin calibrate travel scenarios/calibration/travel.csv --predict scenarios/calibration/commands.csv
    """
    from hetwin_core.kinematics.travel import choose, travel_model
    from hetwin_suite.calibrating.travel_logs import read_commands, read_laps
    from hetwin_suite.calibrating.travel_offering import travel_offer

    if (scenario is None) is not (out is None):
        raise BadInput("one of --scenario and --out is missing", expected="both, or neither")
    offered = None if scenario is None or out is None else travel_offer(scenario, out)
    laps = read_laps(log)
    wanted = [] if predict is None else read_commands(predict)
    try:
        fit, chosen = travel_model(laps), choose(laps)
    except ValueError as error:
        raise BadInput(str(error), file=log) from None
    times = _times(chosen, fit, wanted)
    written = None if offered is None else str(offered.write(laps).resolve())
    wrote = [] if written is None else [f"wrote {written}"]
    lines = [*_lines(fit, chosen, wanted, times), *wrote]
    return Result(_to_json(fit, chosen, times) | {"scenario": written}, lines)


def _times(chosen: Chosen, fit: TravelFit, wanted: list[Lap]) -> list[float]:
    """Times of commands [s]; those without the virtual robot's time are predicted by the model."""
    if not wanted:
        return []
    times = chosen.predict(wanted).tolist()
    return [
        fit.time(lap.rotation, lap.displacement) if math.isnan(time) else time
        for lap, time in zip(wanted, times, strict=True)
    ]


def _to_json(fit: TravelFit, chosen: Chosen, times: list[float]) -> dict[str, Any]:
    return {
        "parameters": fit.parameters,
        "sd": {name: sd if math.isfinite(sd) else None for name, sd in fit.sd.items()},
        "predictions": times,
        "chosen": chosen.name,
        "errors": chosen.errors,
    }


def _lines(fit: TravelFit, chosen: Chosen, wanted: list[Lap], times: list[float]) -> Iterator[str]:
    for name, value in fit.parameters.items():
        yield f"{name:17} {value:8.4f} +- {fit.sd[name]:.4f}"
    tried = ", ".join(f"{name} {error:.3f} s" for name, error in chosen.errors.items())
    yield f"predicts best: {chosen.name}; median errors of laps that were left out: {tried}"
    for lap, time in zip(wanted, times, strict=True):
        yield f"{lap.rotation:10g} {lap.displacement:10g}: {time:.3f} s"
