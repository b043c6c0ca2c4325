"""What a scenario cannot be made from: exit code 2, nothing written, and words that say what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from support.hetwin_command import hetwin, refused
from support.recorded_bags import joints, plain, write_bag
from support.robot_files import ROOT, example
from support.tabletop import JOINTS, change, tabletop, write_recording

Make: TypeAlias = Callable[[Path], list[str | Path]]
"""Writes files into a folder; returns the arguments of `hetwin new` beside --out."""


def arm(folder: Path) -> Path:
    return write_recording(folder / "recording", JOINTS)


def given(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text)
    return file


def recorded(folder: Path, *names: str) -> Path:
    return write_recording(folder / "recording", names)


def silent(folder: Path, *positions: float) -> Path:
    return write_bag(folder / "recording", [joints(0, JOINTS[: len(positions)], positions)])


def told(folder: Path, description: str) -> Path:
    said = plain(0, "/robot_description", "std_msgs/msg/String", data=description)
    return write_bag(folder / "recording", [said, joints(1, JOINTS, [0.0] * len(JOINTS))])


KINDS: dict[str, tuple[Make, tuple[str, ...]]] = {
    "no recording": (lambda f: [f / "nowhere"], ("nowhere", "there is no such recording")),
    "not a recording": (lambda f: [given(f, "notes.txt", "hello")], ("notes.txt",)),
    "no joint states": (
        lambda f: [write_bag(f / "recording", [plain(0, "/x", "std_msgs/msg/String", data="x")])],
        ("/x (std_msgs/msg/String)", "sensor_msgs/msg/JointState"),
    ),
    "joint states without positions": (lambda f: [silent(f)], ("positions",)),
    "a position that is no number": (lambda f: [silent(f, float("nan"))], ("are not numbers",)),
    "a name of no robot": (
        lambda f: [arm(f), "--robot", "tabletop_amr"],
        ("tabletop_amr", "a name such as tabletop_arm"),
    ),
    "a file that is not there": (lambda f: [arm(f), "--robot", f / "x.urdf"], ("x.urdf",)),
    "a folder as robot": (lambda f: [arm(f), "--robot", f], ("this is a folder",)),
    "xacro": (
        lambda f: [arm(f), "--robot", given(f, "r.urdf.xacro", "<robot name='${a}'/>")],
        ("r.urdf.xacro", "xacro cannot expand this: name 'a' is not defined"),
    ),
    "an MJCF that MuJoCo does not know": (
        lambda f: [arm(f), "--robot", given(f, "r.xml", "<mujoco><heap/></mujoco>")],
        ("r.xml", "MuJoCo cannot read this"),
    ),
    "joints that are not recorded": (
        lambda f: [arm(f), "--joint", "nothing=a"],
        ("--joint", "no recorded joint has such a name"),
    ),
    "malformed URDF": (
        lambda f: [arm(f), "--robot", given(f, "r.urdf", "<robot name='r'>")],
        ("r.urdf", "not well-formed"),
    ),
    "another robot's URDF": (
        lambda f: [recorded(f, "winch", "paw"), "--robot", "tabletop_arm"],
        ("none of the 2 recorded joints is the robot's", "winch, paw", "shoulder"),
    ),
    "joints of one of two arms": (
        lambda f: [
            recorded(f, *(f"arm_joint_{n}" for n in range(1, 8))),
            *("--robot", "two_hand_robot"),
        ],
        ("match several of", "right_arm_joint_1 or left_arm_joint_1"),
    ),
    "joints of no known robot": (
        lambda f: [recorded(f, "winch", "paw")],
        ("no robot here has the recorded joints", "winch, paw", "--robot"),
    ),
    "recorded description malformed": (
        lambda f: [told(f, "<robot name='r'><link name='l'></robot>")],
        ("robot_description",),
    ),
    "a package without a folder": (
        lambda f: [arm(f), "--package", "meshes"],
        ("--package", "NAME=FOLDER"),
    ),
    "a package that is no folder": (
        lambda f: [arm(f), "--package", f"meshes={f / 'nowhere'}"],
        ("--package meshes", "this is not a folder"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_refused(kind: str, tmp_path: Path) -> None:
    make, says = KINDS[kind]
    arguments = make(tmp_path)
    refused(tmp_path, "new", *arguments, "--out", tmp_path / "twin", says=says)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_nothing_is_overwritten(what: str, tmp_path: Path) -> None:
    out = tmp_path / "twin"
    if what == "folder":
        out.mkdir()
        given(out, "mine.yaml", "mine")
    else:
        given(tmp_path, "twin", "mine")
    refused(tmp_path, "new", arm(tmp_path), "--out", out, says=("twin", "nothing is overwritten"))


def test_of_several_robots_that_fit_none_is_guessed(tmp_path: Path) -> None:
    example("tiago_description/robots/tiago.urdf")
    bag = recorded(tmp_path, "torso_lift_joint", *(f"arm_{n}_joint" for n in range(1, 8)))
    error = refused(tmp_path, "new", bag, "--out", tmp_path / "twin", says=("more than one fits",))
    assert "tiago (8 of 8), tiago_no_hand (8 of 8)" in error


# ---------------------------------------------------------------------- packages of a scenario


def test_a_package_of_a_scenario_that_is_no_folder(tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    change(file, "rate: 400", "packages: {meshes: nowhere}\nrate: 400")
    out = tmp_path / "run"
    refused(
        tmp_path,
        "run",
        file,
        "--out",
        out,
        says=("packages.meshes", "nowhere", "not a folder", "line 4"),
    )


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_package_of_the_command_that_is_no_folder(command: str, tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    says = ("--package meshes", "nowhere")
    refused(tmp_path, command, file, "--package", "meshes=nowhere", says=says)


def test_packages_may_be_mapped_by_scenario_and_command(tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    change(file, "robot: robot.urdf", "robot: package://mine/tabletop_arm.urdf")
    (tmp_path / "robots").symlink_to(ROOT / "urdf")
    assert hetwin("check", file).code == 2
    assert hetwin("check", file, "--package", f"mine={tmp_path / 'robots'}").code == 0
    change(file, "rate: 400", "packages: {mine: robots}\nrate: 400")
    assert hetwin("check", file).code == 0


# ---------------------------------------------------------------------- shipped scenarios, --scene


@pytest.mark.parametrize("name", ["kuka_follow_joints", "tiago_follow_joints"])
def test_without_the_data_folder_it_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HETWIN_DATA", str(tmp_path / "nowhere"))
    says = (str(tmp_path / "nowhere"), "which does not exist", "HETWIN_DATA")
    refused(tmp_path, "run", name, "--out", tmp_path / "run", says=says)


@pytest.mark.parametrize("name", ["insertion_force", "uncertain_environment_rigid"])
def test_a_scenario_without_a_recording_names_the_commands_that_run_it(
    name: str, tmp_path: Path
) -> None:
    kind = "insertion" if name == "insertion_force" else "drop"
    says = (f"`hetwin record {kind} ", f"`hetwin run {name} --source episodes/{kind}/")
    refused(tmp_path, "run", name, "--out", tmp_path / "run", says=says)


@pytest.mark.parametrize("text", ["nowhere.json", "[1]", "{"])
def test_a_scene_that_is_neither_json_nor_a_file(text: str, tmp_path: Path) -> None:
    refused(tmp_path, "run", tabletop(tmp_path), "--scene", text, says=("--scene",))
