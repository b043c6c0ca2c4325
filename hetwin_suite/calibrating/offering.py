"""Offers what was learned of a drive as a new scenario, which extends the old one; nothing is written over."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import yaml

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.extends import load_with_base
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.kinematics.drives.calibrating import Calibration

_HEADER = """# {base} with what recordings of its wheels and its true poses taught: {said}.
# Written by hetwin calibrate drive; standard deviations: {sd}.
"""


def offer(scenario: str, out: Path, found: Calibration) -> Path:
    """Write a scenario that extends another one, with the radius and the separation that were learned.

    A scenario has one radius for all wheels: it gets the mean.

    Raises:
        BadInput: if there is no such scenario, its robot has no wheels, or the file is there or cannot be written.
    """
    base = find_scenario(scenario)
    if out.exists():
        raise BadInput("this file is there already", file=out, where="--out", expected="a new file")
    data = load_with_base(base).data
    robot = data.get("robot") if isinstance(data, dict) else None
    wheels = robot.get("wheels") if isinstance(robot, dict) else None
    if not isinstance(robot, dict) or not isinstance(wheels, dict):
        raise BadInput(
            "the scenario's robot has no wheels",
            file=base,
            where="robot.wheels",
            expected="wheels: {left: [joints], right: [joints]}",
        )
    drive = found.drive
    radius = (abs(drive.left_radius) + abs(drive.right_radius)) / 2.0
    new = {**wheels, "radius": round(radius, 6), "separation": round(drive.base, 6)}
    _write(out, _text(base, out, {**robot, "wheels": new}, found))
    try:
        load_scenario(out)
    except BadInput:
        out.unlink()
        raise
    return out


def _text(base: Path, out: Path, robot: dict[str, Any], found: Calibration) -> str:
    below = Path(os.path.relpath(base, out.parent.resolve()))
    chosen = [f"{name} {found.drive.parameters[name]:.6g}" for name in found.chosen]
    header = _HEADER.format(
        base=base.name,
        said=", ".join(chosen) or "nothing that is worth an update",
        sd=", ".join(f"{name} {found.sd[name]:.2g}" for name in found.chosen) or "none",
    )
    entries = {"extends": str(below), "scenario": out.stem, "robot": robot}
    return header + yaml.safe_dump(entries, sort_keys=False, allow_unicode=True)


def _write(out: Path, text: str) -> None:
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(
            f"the file cannot be written: {error.strerror}", file=out, where="--out"
        ) from None
