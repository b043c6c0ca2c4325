"""`hetwin calibrate`: models of arms, drives, efforts and travel times, fitted to recordings."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_calibration.commands.options import Base, LearnedInto, Robot, Tip
from hetwin_calibration.methods import Parameters
from hetwin_suite.command import BadInput, Page, Result, never_silent, option, table, write_text

if TYPE_CHECKING:
    from hetwin_calibration.arm.markers import CalibratedArm
    from hetwin_calibration.drives.calibrating import Along, Calibration
    from hetwin_calibration.drives.choosing import Judgement
    from hetwin_calibration.efforts.recordings import CalibratedEfforts
    from hetwin_calibration.travel.model import ChosenPredictor, Lap, TravelFit


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
            help="prior parameters, file or object: wheel_radius (or left_radius, right_radius), base [m]; lag [s]",
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
    """Fit a differential drive to recordings of its wheels and true poses, and choose which parameters to update.

    Cross-validation over blocks of the recordings chooses the updated parameters; none if an update would make
    positions or headings worse. Swapped wheels and wheels that count backwards (a negative radius) are detected.
    The pose at t belongs to the wheel angles stamped t + lag; the yaw_bias [rad/s] is added to the yaw rate.

    Example: hetwin calibrate drive scenarios/calibration/drive.csv --believed '{"wheel_radius": 0.05, "base": 0.3}'
    """
    from hetwin_calibration.drives.calibrating import TooLittle, calibrate
    from hetwin_calibration.drives.logs import read_recording
    from hetwin_calibration.drives.offering import offer
    from hetwin_calibration.drives.sheet import read_sheet

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
            "these are not two joints", where="--wheels", found=wheels, expected="LEFT,RIGHT"
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
        "judged": [_judged(judgement) for judgement in found.judged],
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
    """Return the result of the Kalman filter, as JSON."""
    known = along.drive.parameters
    return {
        "parameters": {name: known[name] for name in along.sd},
        "sd": along.sd,
        "refused": along.refused,
        "judged": _judged(along.judged),
    }


_UNITS = {"left_radius": "m", "right_radius": "m", "base": "m", "lag": "s", "yaw_bias": "rad/s"}


def _lines(found: Calibration, offered: Path | None) -> Iterator[str]:
    yield f"{found.verdict}: {', '.join(found.chosen) or 'no update is useful'}"
    for name, value in found.drive.parameters.items():
        known = f" +- {found.sd[name]:.5f}" if name in found.chosen else "  (as it was)"
        yield f"  {name:13} {value:9.5f}{known} {_UNITS[name]}"
    yield f"errors after {found.length:g} s, on held-out parts:"
    for judgement in found.judged:
        yield _line(judgement, ", ".join(judgement.names) or "nothing")
    if found.along is not None:
        yield _line(found.along.judged, "an online Kalman filter")
    for warning in found.warnings:
        yield f"warning: {warning}"
    if offered is not None:
        yield f"wrote {offered}"


def _line(judged: Judgement, what: str) -> str:
    heading = "" if judged.heading is None else f"{math.degrees(judged.heading):8.2f} deg"
    harm = "" if judged.is_harmless else "   does harm"
    return f"  {1000 * judged.place:8.1f} mm{heading}  {what}{harm}"


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
            help="commands whose durations are predicted: rotation, displacement, lap_virtual",
        ),
    ] = None,
    scenario: LearnedInto = None,
    out: Annotated[Path | None, option("--out", "the new scenario; never the old one")] = None,
) -> Result:
    """Fit speeds, accelerations and lag of the real robot to the laps of its commands, and predict other laps.

    Disturbed laps are weighted down. Cross-validation chooses the predictor: the virtual robot's durations, a linear
    regression on them, or the fitted model. hetwin machines link --log writes such a table.

    Example: hetwin calibrate travel scenarios/calibration/travel.csv --predict scenarios/calibration/commands.csv
    """
    from hetwin_calibration.travel.logs import read_commands, read_laps
    from hetwin_calibration.travel.model import choose, travel_model
    from hetwin_calibration.travel.offering import travel_offer

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
    written: str | None = None
    if offered is not None:
        fit, count = offered.learned(laps)
        written = str(offered.write(fit, count).resolve())
    wrote = [] if written is None else [f"wrote {written}"]
    lines = [*_travel_lines(fit, chosen, wanted, times), *wrote]
    return Result(_travel_json(fit, chosen, times) | {"scenario": written}, lines)


def _times(chosen: ChosenPredictor, fit: TravelFit, wanted: list[Lap]) -> list[float]:
    """Return the predicted times of commands [s]; by the model if a command lacks the virtual robot's time."""
    if not wanted:
        return []
    times = chosen.predict(wanted).tolist()
    return [
        fit.time(lap.rotation, lap.displacement) if math.isnan(time) else time
        for lap, time in zip(wanted, times, strict=True)
    ]


def _travel_json(fit: TravelFit, chosen: ChosenPredictor, times: list[float]) -> dict[str, Any]:
    return {
        "parameters": fit.parameters,
        "sd": {name: sd if math.isfinite(sd) else None for name, sd in fit.sd.items()},
        "predictions": times,
        "chosen": chosen.name,
        "errors": chosen.errors,
    }


def _travel_lines(
    fit: TravelFit, chosen: ChosenPredictor, wanted: list[Lap], times: list[float]
) -> Iterator[str]:
    for name, value in fit.parameters.items():
        yield f"{name:17} {value:8.4f} +- {fit.sd[name]:.4f}"
    errors = ", ".join(f"{name} {error:.3f} s" for name, error in chosen.errors.items())
    yield f"predicts best: {chosen.name}; median errors of laps that were left out: {errors}"
    for lap, time in zip(wanted, times, strict=True):
        yield f"{lap.rotation:10g} {lap.displacement:10g}: {time:.3f} s"


def arm(
    urdf: Robot,
    markers: Annotated[
        Path,
        typer.Option(
            "--markers", help="CSV x1,y1,z1[,x2,y2,z2 ...] of markers [m], and the joints"
        ),
    ],
    base: Base = None,
    tip: Tip = None,
    fit: Annotated[
        Parameters,
        typer.Option("--fit", help="the joints' offsets, or all small errors of the chain"),
    ] = Parameters.OFFSETS,
    out: Annotated[Path | None, option("--out", "URDF file")] = None,
) -> Result:
    """Fit a chain's small errors to markers on its tip, measured in any fixed frame, and write them into a URDF.

    The base's pose in that frame and the markers' positions on the tip are fitted as well. Outliers are listed by row,
    from 0, and left out. Held-out figures are those of poses that were not fitted, over five folds.

    Example: hetwin calibrate arm urdf/tabletop_arm.urdf --tip gripper_base --markers examples/arm/markers.csv
    """
    from hetwin_calibration.arm.markers import calibrate, read_markers
    from hetwin_calibration.robot.urdf_patch import with_errors, write_urdf
    from hetwin_suite.robot import find_robot, read_robot

    robot = read_robot(find_robot(urdf))
    chain = robot.chain(base, tip)
    file = read_markers(markers, chain)
    with never_silent(lambda: f"fitting {len(file.measured.positions)} poses"):
        found = calibrate(chain, file, fit)
    if file.passed_over:
        print(f"passed over: {', '.join(file.passed_over)}", file=sys.stderr)
    if base is not None and (moving := file.moving(robot.joints_above(base))):
        names = ", ".join(moving)
        print(
            f"warning: {base} does not stand still, as these joints above it move in {markers}: {names}; "
            "choose a --base above them",
            file=sys.stderr,
        )
    if out is not None:
        write_urdf(with_errors(robot, found.origins()), out)
    return Result(found, _arm_lines(found, out))


def _arm_lines(found: CalibratedArm, out: Path | None) -> Iterator[str]:
    yield from table(
        ("joint", "offset [rad, m]"),
        [(name, f"{value:+.5f}") for name, value in found.offsets.items()],
    )
    printed = found.to_json()
    outliers = ", ".join(map(str, printed["outliers"])) or "none"
    yield f"{printed['poses']} poses; rows that do not belong: {outliers}"
    for key, words in (("rms_mm", "fitted"), ("held_out_rms_mm", "not fitted")):
        before, after = printed[key]["nominal"], printed[key]["calibrated"]
        yield f"RMS of poses that were {words}: {before:.2f} mm as it is, {after:.2f} mm calibrated"
    if out is not None:
        yield f"written: {out}"


def efforts(
    bags: Annotated[
        list[Path],
        typer.Argument(
            metavar="BAG...", help="recordings with positions and efforts of joints; two to compare"
        ),
    ],
    robot: Annotated[
        str, typer.Option("--robot", help="URDF, xacro or MJCF file, or a name such as baxter")
    ],
    compare: Annotated[
        bool, typer.Option("--compare", help="show the gap between two recordings on a page")
    ] = False,
    urdf: Annotated[
        Path | None, typer.Option("--urdf", help="write the URDF with the friction that was found")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            help="SDFormat or MJCF file of the same robot; NAME.calibrated beside it has the friction found",
        ),
    ] = None,
    out: Annotated[Path | None, option("--out", "JSON, or the page of a comparison")] = None,
) -> Result:
    """Split a robot's efforts into friction, offsets, a load, lags and signs, and an unexplained residual.

    Each claimed parameter differs from 0 by several standard deviations. The split is judged on every second block of
    5 s by a fit to the other blocks. Parameters that the recording does not determine are listed and not changed. For
    a comparison, the second recording may be of a simulation, whose controllers publish efforts as well.

    Example: hetwin calibrate efforts scenarios/episodes/pick_and_place --robot urdf/tabletop_arm.urdf --urdf new.urdf
    """
    from hetwin_calibration.efforts.recordings import calibrated_efforts
    from hetwin_suite.robot import find_robot

    if len(bags) != 1 + compare:
        raise BadInput(
            "this is not the number of recordings",
            where="BAG...",
            found=len(bags),
            expected="two with --compare, else one",
        )
    if compare and (urdf or into):
        raise BadInput(
            "a comparison writes no robot", where="--urdf, --into", expected="neither, or one BAG"
        )
    file = find_robot(robot)
    found = []
    for bag in bags:
        with never_silent(partial("splitting the efforts in {}".format, bag)):
            found.append(calibrated_efforts(bag, file))
    if compare:
        return _gap(found[0], found[1], out)
    lines = [*found[0].lines(), *_written(found[0], file, urdf, into)]
    if out is not None:
        write_text(out, json.dumps(found[0].to_json(), indent=2) + "\n", where="--out")
        lines.append(f"wrote {out}")
    return Result(found[0].to_json(), lines)


def _gap(first: CalibratedEfforts, second: CalibratedEfforts, out: Path | None) -> Result:
    from hetwin_calibration.efforts.comparing import compared
    from hetwin_calibration.efforts.gap_page import gap_page

    gap = compared(first, second)
    page = None if out is None else Page(out, lambda: gap_page(gap))
    return Result(gap.to_json(), gap.lines(), page=page)


def _written(
    found: CalibratedEfforts, robot: Path, urdf: Path | None, into: Path | None
) -> Iterator[str]:
    """Write the fitted friction into files of the robot, and yield a line for each."""
    from hetwin_calibration.robot.friction_patch import with_friction_in
    from hetwin_calibration.robot.urdf_patch import with_friction, write_urdf
    from hetwin_suite.robot import read_robot

    if urdf is not None:
        write_urdf(with_friction(read_robot(robot), found.friction()), urdf)
        yield f"wrote {urdf}"
    if into is not None:
        better = into.with_name(f"{into.stem}.calibrated{into.suffix}")
        write_text(better, with_friction_in(into, found.friction()), where="--into")
        yield f"wrote {better}"
