"""Writes a drive's fit as a new scenario that extends the old one; no file is overwritten."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from hetwin_calibration.drives.calibrating import Calibration
from hetwin_suite.command import BadInput, load_with_base, write_text
from hetwin_suite.runs import find_scenario, load_scenario

_HEADER = """# {base} with parameters learned from recordings of wheels and true poses: {learned}.
# Written by hetwin calibrate drive; standard deviations: {sd}.
"""


@dataclass(frozen=True, slots=True)
class Offer:
    """A scenario to calibrate, and the file of the calibrated one.

    Attributes:
        base: file of the scenario.
        robot: the scenario's entry `robot`.
        out: the new file.
    """

    base: Path
    robot: Mapping[str, Any]
    out: Path

    def write(self, found: Calibration) -> Path:
        """Write the new scenario with the fitted wheel radius and separation, and return its file.

        A scenario has one radius for all wheels: the mean of left and right.

        Raises:
            BadInput: if the file cannot be written, or the result is not a valid scenario.
        """
        drive = found.drive
        radius = (abs(drive.left_radius) + abs(drive.right_radius)) / 2.0
        measures = {"radius": round(radius, 6), "separation": round(drive.base, 6)}
        robot = {**self.robot, "wheels": {**self.robot["wheels"], **measures}}
        return written(self.out, *_parts(self.base, self.out, robot, found))


def offer(scenario: str, out: Path) -> Offer:
    """Check that a scenario can be calibrated and that the new file does not exist.

    Raises:
        BadInput: if there is no such scenario, its robot has no wheels, or the new file exists.
    """
    base = find_scenario(scenario)
    new_file(out)
    data = load_with_base(base).data
    robot = data.get("robot") if isinstance(data, dict) else None
    if not isinstance(robot, dict) or not isinstance(robot.get("wheels"), dict):
        raise BadInput(
            "the scenario's robot has no wheels",
            file=base,
            where="robot.wheels",
            expected="wheels: {left: [joints], right: [joints]}",
        )
    return Offer(base, robot, out)


def new_file(out: Path) -> None:
    """Check that a file does not exist yet.

    Raises:
        BadInput: if the file exists.
    """
    if out.exists():
        raise BadInput("this file is there already", file=out, where="--out", expected="a new file")


def written(out: Path, header: str, entries: Mapping[str, Any]) -> Path:
    """Write a scenario and return its file; an invalid one is deleted again.

    Raises:
        BadInput: if the file cannot be written, or is not a valid scenario.
    """
    text = yaml.safe_dump(dict(entries), sort_keys=False, allow_unicode=True)
    write_text(out, header + text, where="--out")
    try:
        load_scenario(out)
    except BadInput:
        out.unlink()
        raise
    return out


def _parts(
    base: Path, out: Path, robot: dict[str, Any], found: Calibration
) -> tuple[str, dict[str, Any]]:
    base_path = Path(os.path.relpath(base, out.parent.resolve()))
    chosen = [f"{name} {found.drive.parameters[name]:.6g}" for name in found.chosen]
    header = _HEADER.format(
        base=base.name,
        learned=", ".join(chosen) or "nothing that is worth an update",
        sd=", ".join(f"{name} {found.sd[name]:.2g}" for name in found.chosen) or "none",
    )
    return header, {"extends": str(base_path), "scenario": out.stem, "robot": robot}
