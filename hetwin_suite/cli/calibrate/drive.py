"""`hetwin calibrate drive`: radii, base, lag and bias of a robot on two wheels, from recordings."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.options import AsJson

if TYPE_CHECKING:
    from hetwin_core.kinematics.drives.calibrating import Calibration


def drive(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="LOG...", help="CSV t,left,right,x,y,yaw (yaw may be empty), or rosbag2"
        ),
    ],
    robot: Annotated[
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
    scenario: Annotated[
        str | None,
        typer.Option(help="scenario whose robot it is; --out is the same with what was learned"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="the new scenario; never the old one", metavar="YAML")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Learn a drive from recordings of its wheels and its true poses, and say what is worth an update.

    Cross-validation over blocks of the recordings chooses which parameters are updated; none, if an update would make
    places or headings worse. Wheels that are swapped and wheels that count backwards (a negative radius) are found.
    The pose at t belongs to the wheel angles stamped t + lag; the yaw_bias [rad/s] is added to the turn.

    Example: hetwin calibrate drive scenarios/calibration/drive.csv --robot '{"wheel_radius": 0.05, "base": 0.3}'
    """
    from hetwin_core.kinematics.drives.calibrating import TooLittle, calibrate
    from hetwin_suite.calibrating.drive_logs import read_recording
    from hetwin_suite.calibrating.offering import offer
    from hetwin_suite.calibrating.robot_sheet import read_sheet
    from hetwin_suite.running.patience import never_silent

    if (scenario is None) is not (out is None):
        raise BadInput("one of --scenario and --out is missing", expected="both, or neither")
    sheet = read_sheet(robot)
    recordings = [read_recording(log, _joints(wheels), truth) for log in logs]
    try:
        with never_silent(lambda: "comparing what to update"):
            found = calibrate(recordings, sheet)
    except TooLittle as error:
        raise BadInput(str(error), file=", ".join(map(str, logs))) from None
    offered = None if scenario is None or out is None else offer(scenario, out, found)
    if as_json:
        print(json.dumps(_to_json(found, offered)))
    else:
        _show(found, offered)


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
        "judged": [
            {
                "parameters": list(each.names),
                "place": each.place,
                "heading": each.heading,
                "score": each.score,
                "harmless": bool(each.is_harmless),
            }
            for each in found.judged
        ],
        "scenario": None if offered is None else str(offered.resolve()),
    }


_UNITS = {"left_radius": "m", "right_radius": "m", "base": "m", "lag": "s", "yaw_bias": "rad/s"}


def _show(found: Calibration, offered: Path | None) -> None:
    print(f"{found.verdict}: {', '.join(found.chosen) or 'no update is worth it'}")
    for name, value in found.drive.parameters.items():
        known = f" +- {found.sd[name]:.5f}" if name in found.chosen else "  (as it was)"
        print(f"  {name:13} {value:9.5f}{known} {_UNITS[name]}")
    print(f"left after {found.length:g} s, on what was not learned from:")
    for each in found.judged:
        heading = "" if each.heading is None else f"{math.degrees(each.heading):8.2f} deg"
        harm = "" if each.is_harmless else "   does harm"
        print(f"  {1000 * each.place:8.1f} mm{heading}  {', '.join(each.names) or 'nothing'}{harm}")
    for warning in found.warnings:
        print(f"warning: {warning}")
    if offered is not None:
        print(f"wrote {offered}")
