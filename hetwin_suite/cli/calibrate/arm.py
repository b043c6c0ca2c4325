"""`hetwin calibrate arm`: joint offsets from markers that were measured on an arm."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite._commands.options import Base, Robot, Tip, option
from hetwin_suite._commands.result import Result
from hetwin_suite._commands.tables import table
from hetwin_suite.digital_robot.methods import Parameters

if TYPE_CHECKING:
    from hetwin_suite.digital_robot.calibrating import CalibratedArm


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
    """Fit a chain's small errors to markers on its tip, measured in a frame of their own, and write them into a URDF.

    Where the base is in that frame and where the markers are on the tip is fitted too. Poses that do not belong are
    named and left out, rows counted from 0; held-out figures are of poses that were not fitted, over five folds.

    Example: hetwin calibrate arm urdf/tabletop_arm.urdf --tip gripper_base --markers examples/arm/markers.csv
    """
    from hetwin_suite.digital_robot.calibrating import calibrate, read_markers
    from hetwin_suite.digital_robot.robot_file import read_robot, robot_file
    from hetwin_suite.digital_robot.urdf_origins import write_with_errors
    from hetwin_suite.running.patience import never_silent

    robot = read_robot(robot_file(urdf))
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
        write_with_errors(robot, found.origins(), out)
    return Result(found, _lines(found, out))


def _lines(found: CalibratedArm, out: Path | None) -> Iterator[str]:
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
