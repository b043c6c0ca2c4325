"""Robots by file and by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.robot_files import TABLETOP_ARM, example

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import (
    FORMATS,
    Kind,
    find_known,
    known_robots,
    moving_joints,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf


def test_a_file_is_a_robot() -> None:
    robot = find_known(str(TABLETOP_ARM), Kind.ROBOT, where="--robot")
    assert robot.file == TABLETOP_ARM
    assert robot.label == str(TABLETOP_ARM)


def test_hetwins_own_robots_have_names() -> None:
    assert (
        find_known("tabletop_arm", Kind.ROBOT, where="--robot").reference
        == "urdf/tabletop_arm.urdf"
    )


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("baxter", "baxter_description/urdf/baxter.urdf"),
        ("Baxter", "baxter_description/urdf/baxter.urdf"),
        ("panda", "panda_description/urdf/panda.urdf"),
        ("ur5", "ur_description/urdf/ur5_robot.urdf"),
        ("ur5_gripper", "ur_description/urdf/ur5_gripper.urdf"),
        ("anymal_c", "anymal_c_simple_description/urdf/anymal.urdf"),
    ],
)
def test_robots_of_the_extra_have_names(name: str, file: str) -> None:
    assert find_known(name, Kind.ROBOT, where="--robot").file == example(file)


def test_every_known_robot_has_a_joint_that_moves_and_a_name_of_its_own() -> None:
    robots = known_robots()
    assert len({robot.file for robot in robots.values()}) == len(robots)
    assert all(moving_joints(robot.file) for robot in robots.values())


@pytest.mark.parametrize(
    "path", ["baxter_description/urdf/baxter.urdf", "tiago_description/robots/tiago.urdf"]
)
def test_the_quick_look_finds_the_joints_that_the_reader_finds(path: str) -> None:
    file = example(path)
    read = read_urdf(file, Notes())
    assert {*moving_joints(file)} == {joint.name for joint in read.moving_joints}


def test_joints_in_comments_and_transmissions_do_not_move(tmp_path: Path) -> None:
    file = tmp_path / "robot.urdf"
    file.write_text(
        "<robot name='r'><joint type='revolute' name='a'/><!-- <joint name='b' type='revolute'/> -->"
        "<joint name='c' type='fixed'/><transmission><joint name='d'/></transmission></robot>"
    )
    assert moving_joints(file) == ("a",)


def refused(text: str) -> str:
    with pytest.raises(BadInput) as caught:
        find_known(text, Kind.ROBOT, where="--robot")
    return str(caught.value)


def test_of_a_misspelt_name_the_nearest_are_named_first() -> None:
    example("baxter_description/urdf/baxter.urdf")
    said = refused("baxtr")
    assert "'baxtr'" in said
    assert "a name such as baxter" in said


def test_a_file_that_is_not_there() -> None:
    assert "there is no such file" in refused("nowhere/robot.urdf")


@pytest.mark.parametrize(
    ("kind", "text", "file"),
    [
        (Kind.ROBOT, "tabletop_arm", "tabletop_arm.urdf"),
        (Kind.ROBOT, "Tabletop_Arm", "tabletop_arm.urdf"),
        (Kind.WORLD, "tabletop", "tabletop.sdf"),
        (Kind.WORLD, "worlds/tabletop.sdf", "tabletop.sdf"),
    ],
)
def test_robots_and_worlds_are_named_alike(kind: Kind, text: str, file: str) -> None:
    assert find_known(text, kind).file.name == file


@pytest.mark.parametrize("kind", Kind)
def test_what_is_not_there_is_said_in_the_same_words(kind: Kind) -> None:
    formats = re.escape(FORMATS[kind])
    with pytest.raises(
        BadInput, match=f"no {kind} of this name is known.*{formats}, or a name such as"
    ):
        find_known("tabeltop", kind)
    with pytest.raises(BadInput, match=f"there is no such file.*{formats}, or a name"):
        find_known("nowhere/table.xml", kind)
    with pytest.raises(BadInput, match=f"this is a folder.*{formats}"):
        find_known("scenarios", kind)


def test_either_may_be_meant() -> None:
    assert find_known("tabletop", Kind.ROBOT, Kind.WORLD).file.suffix == ".sdf"
    with pytest.raises(BadInput, match="no robot or world of this name is known"):
        find_known("nothing_like_it", Kind.ROBOT, Kind.WORLD)
