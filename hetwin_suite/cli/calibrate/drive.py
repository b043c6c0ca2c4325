"""`hetwin calibrate drive`: radii, base, lag and bias of a robot on two wheels, from recordings."""

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
    from hetwin_core.kinematics.drives.calibrating import Along, Calibration
    from hetwin_core.kinematics.drives.choosing import Judgement


def drive(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...", help="CSV t,left,right,x,y,yaw (yaw may be empty), or rosbag2"
        ),
    ],
    believed: Annotated[
        str,
        typer.Option(
            metavar="JSON",
            help="what is believed, file or object: wheel_radius (or left_radius, right_radius), base [m]; lag [s]",
        ),
    ],
    wheels: Annotated[
        str | None,
        typer.Option(metavar="LEFT,RIGHT", help="joints of the wheels in a rosbag2"),
    ] = None,
    truth: Annotated[
        str | None, typer.Option(metavar="TOPIC", help="true poses in a rosbag2")
    ] = None,
    scenario: LearnedInto = None,
    out: Annotated[Path | None, option("--out", "the new scenario; never the old one")] = None,
) -> Result:
    """Learn a drive from recordings of its wheels and its true poses, and say what is worth an update.

    Cross-validation over blocks of the recordings chooses which parameters are updated; none, if an update would make
    places or headings worse. Wheels that are swapped and wheels that count backwards (a negative radius) are found.
    The pose at t belongs to the wheel angles stamped t + lag; the yaw_bias [rad/s] is added to the turn.

    Example: hetwin calibrate drive scenarios/calibration/drive.csv --believed '{"wheel_radius": 0.05, "base": 0.3}'
    """
    from hetwin_core.kinematics.drives.calibrating import TooLittle, calibrate
    from hetwin_suite.calibrating.drive_logs import read_recording
    from hetwin_suite.calibrating.offering import offer
    from hetwin_suite.calibrating.robot_sheet import read_sheet
    from hetwin_suite.running.patience import never_silent

    if (scenario is None) is not (out is None):
        raise BadInput("one of --scenario and --out is missing", expected="both, or neither")
    offered = None if scenario is None or out is None else offer(scenario, out)
    sheet = read_sheet(believed)
    recordings = [read_recording(log, _joints(wheels), truth) for log in logs]
    try:
        with never_silent(lambda: "comparing what to update"):
            found = calibrate(recordings, sheet)
    except TooLittle as error:
        raise BadInput(str(error), file=", ".join(map(str, logs))) from None
    written = None if offered is None else offered.write(found)
    return Result(_to_json(found, written), _lines(found, written))


def _joints(wheels: str | None) -> list[str] | None:
    if wheels is None:
        return None
    names = [name.strip() for name in wheels.split(",")]
    if len(names) != 2 or not all(names):
        raise BadInput(
            "these are no two joints", where="--wheels", found=wheels, expected="LEFT,RIGHT"
        )
    return names


def _to_json(found: Calibration, offered: Path | None) -> dict[str, Any]:
    return {
        "parameters": found.drive.parameters,
        "sd": {name: sd if math.isfinite(sd) else None for name, sd in found.sd.items()},
        "chosen": list(found.chosen),
        "swapped": found.drive.swapped,
        "verdict": found.verdict,
        "warnings": list(found.warnings),
        "window": found.length,
        "judged": [_judged(each) for each in found.judged],
        "along": None if found.along is None else _along(found.along),
        "scenario": None if offered is None else str(offered.resolve()),
    }


def _judged(judged: Judgement) -> dict[str, Any]:
    return {
        "parameters": list(judged.names),
        "place": judged.place,
        "heading": judged.heading,
        "score": judged.score,
        "harmless": bool(judged.is_harmless),
    }


def _along(along: Along) -> dict[str, Any]:
    """What the filter that ran along came to."""
    known = along.drive.parameters
    return {
        "parameters": {name: known[name] for name in along.sd},
        "sd": along.sd,
        "refused": along.refused,
        "judged": _judged(along.judged),
    }


_UNITS = {"left_radius": "m", "right_radius": "m", "base": "m", "lag": "s", "yaw_bias": "rad/s"}


def _lines(found: Calibration, offered: Path | None) -> Iterator[str]:
    yield f"{found.verdict}: {', '.join(found.chosen) or 'no update is worth it'}"
    for name, value in found.drive.parameters.items():
        known = f" +- {found.sd[name]:.5f}" if name in found.chosen else "  (as it was)"
        yield f"  {name:13} {value:9.5f}{known} {_UNITS[name]}"
    yield f"left after {found.length:g} s, on what was not learned from:"
    for each in found.judged:
        yield _line(each, ", ".join(each.names) or "nothing")
    if found.along is not None:
        yield _line(found.along.judged, "a Kalman filter that runs along")
    for warning in found.warnings:
        yield f"warning: {warning}"
    if offered is not None:
        yield f"wrote {offered}"


def _line(judged: Judgement, what: str) -> str:
    heading = "" if judged.heading is None else f"{math.degrees(judged.heading):8.2f} deg"
    harm = "" if judged.is_harmless else "   does harm"
    return f"  {1000 * judged.place:8.1f} mm{heading}  {what}{harm}"
