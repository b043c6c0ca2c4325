"""Worlds, robots and hands that cannot be used: exit code 2, and an error that names file, element, found, expected."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused
from support.tabletop import change, tabletop

IN_SCENARIO = {
    "world missing": ("world: world.sdf", "world: nowhere.sdf", ("nowhere.sdf", "world")),
    "world is a folder": ("world: world.sdf", "world: recording", ("recording",)),
    "world is a device": (
        "world: world.sdf",
        "world: /dev/zero",
        ("not a regular file", "/dev/zero"),
    ),
    "robot missing": ("robot: robot.urdf", "robot: nowhere.urdf", ("nowhere.urdf", "robot")),
    "robot package missing": (
        "robot: robot.urdf",
        "robot: package://nothing_description/x.urdf",
        ("package://nothing_description/x.urdf",),
    ),
    "robot is a world": ("robot: robot.urdf", "robot: world.sdf", ("world.sdf",)),
    "robot without urdf": ("robot: robot.urdf", "robot: {name: arm}", ("robot.urdf", "missing")),
    "robot pose too short": (
        "robot: robot.urdf",
        "robot: {urdf: robot.urdf, pose: [0, 0, 0]}",
        ("line 3, robot.pose",),
    ),
    "start of an unknown joint": (
        "robot: robot.urdf",
        "robot: {urdf: robot.urdf, joints_at_start: {elbow: 1.0}}",
        ("elbow",),
    ),
    "hand on an unknown link": ("link: gripper_base", "link: paw", ("'paw'",)),
    "hand with unknown joints": (
        "gripper_left_finger_joint,",
        "thumb_joint,",
        ("thumb_joint",),
    ),
    "hand with too few positions": (
        "opened: [0.04, 0.04]",
        "opened: [0.04]",
        ("hands.gripper", "as many positions in opened as joints (2), not 1"),
    ),
    "scene with an unknown entity": (
        "rate: 400",
        "rate: 400\nscene: {dog: {pose: [0, 0, 0, 1, 0, 0, 0]}}",
        ("dog",),
    ),
    "scene with a short pose": (
        "rate: 400",
        "rate: 400\nscene: {box: {pose: [0, 0, 0]}}",
        ("box", "pose"),
    ),
    "scene with no unit quaternion": (
        "rate: 400",
        "rate: 400\nscene: {box: {pose: [0, 0, 0, 0, 0, 0, 0]}}",
        ("box", "pose"),
    ),
    "unknown engine": ("main: true", "main: true, engine: bullet", ("bullet",)),
}
IN_WORLD = {
    "not XML": ("<sdf", "<sdf <", ("world.sdf", "line")),
    "another root": ("<sdf", "<urdf", ("world.sdf",)),
    "pose of words": (
        '<model name="box">\n      <pose>0.45',
        '<model name="box">\n      <pose>here',
        ("world.sdf", "pose", "here"),
    ),
    "mass of words": ("<mass>", "<mass>heavy", ("world.sdf", "mass")),
    "mass below zero": ("<mass>", "<mass>-", ("world.sdf", "mass")),
}
IN_ROBOT = {
    "not XML": ("<robot", "<robot <", ("robot.urdf", "line")),
    "another root": ("<robot", "<rabbit", ("robot.urdf",)),
    "joint without parent": ("<parent link=", "<parrot link=", ("robot.urdf", "parent")),
    "joint to an unknown link": ('<parent link="', '<parent link="un', ("robot.urdf",)),
    "unknown joint type": ('type="revolute"', 'type="wobbly"', ("robot.urdf", "wobbly")),
}


def test_the_scenario_that_is_changed_is_good(tmp_path: Path) -> None:
    said = hetwin("check", tabletop(tmp_path))
    assert said.code == 0, said.err


@pytest.mark.parametrize("kind", IN_SCENARIO)
def test_what_the_scenario_says(kind: str, tmp_path: Path) -> None:
    old, new, says = IN_SCENARIO[kind]
    file = tabletop(tmp_path)
    change(file, old, new)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


@pytest.mark.parametrize("kind", IN_WORLD)
def test_what_the_world_says(kind: str, tmp_path: Path) -> None:
    old, new, says = IN_WORLD[kind]
    file = tabletop(tmp_path)
    change(tmp_path / "world.sdf", old, new)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


@pytest.mark.parametrize("kind", IN_ROBOT)
def test_what_the_robot_says(kind: str, tmp_path: Path) -> None:
    old, new, says = IN_ROBOT[kind]
    file = tabletop(tmp_path)
    change(tmp_path / "robot.urdf", old, new)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


@pytest.mark.parametrize("name", ["world.sdf", "robot.urdf"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01", b"PK\x03\x04 a zip"])
def test_a_file_of_another_kind(name: str, content: bytes, tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    (tmp_path / name).write_bytes(content)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=(name,))


def test_entities_that_expand_without_end(tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE sdf [<!ENTITY e0 "boom">{levels}]><sdf>&e9;</sdf>'
    (tmp_path / "world.sdf").write_text(bomb)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=("world.sdf",))
