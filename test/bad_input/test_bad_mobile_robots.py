"""Mobile robots that cannot be used: exit code 2, and an error that names file, line, key, found and expected."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hetwin_command import refused

from hetwin_core.ensemble.resources import resource

GOOD = (resource("scenarios") / "lab_robot.yaml").read_text("utf-8")
CHANGES = {
    "base that is neither": (
        "base: free",
        "base: loose",
        ("line 10, robot.base", "'loose'", "'fixed' or 'free'"),
    ),
    "wheel that is no joint": (
        "left: [left_wheel_joint]",
        "left: [left_wheel]",
        ("robot.wheels.left.0", "'left_wheel'", "perhaps 'left_wheel_joint'"),
    ),
    "joint driven twice": (
        "wheels: {joints:",
        "head: {joints: [left*], mode: velocity}\n    wheels: {joints:",
        ("driven twice", "'left_wheel_joint'"),
    ),
    "lidar without link": (
        "{link: lidar, ",
        "{",
        ("line 15, robot.lidars.lidar.link", "missing"),
    ),
    "lidar on no link": (
        "{link: lidar, ",
        "{link: lider, ",
        ("line 15, robot.lidars.lidar.link", "'lider'", "perhaps 'lidar'"),
    ),
    "limits reversed": (
        "from: -3.14159265",
        "from: 3.2",
        ("line 15, robot.lidars.lidar", "'from' less than 'to'"),
    ),
    "rate that does not divide": (
        "rate: 10}",
        "rate: 30}",
        ("line 15, robot.lidars.lidar.rate", "28.5714 or 33.3333"),
    ),
}


@pytest.mark.parametrize("kind", CHANGES)
def test_one_thing_is_wrong(kind: str, tmp_path: Path) -> None:
    old, new, says = CHANGES[kind]
    assert old in GOOD
    file = tmp_path / "s.yaml"
    text = GOOD.replace(old, new, 1)
    for folder in ("worlds", "urdf"):
        text = text.replace(f" {folder}/", f" {resource(folder)}/")
    file.write_text(text)
    refused(tmp_path, "check", file, says=(str(file), *says))
