"""Robots as URDF, as xacro, and what only looks like xacro."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from support.robot_files import TABLETOP_ARM

from hetwin_core.ensemble import installed
from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import joints_of, read_robot_xml, urdf_of
from model_nodes.main_physics.world.sdf.reader import read_world
from model_nodes.main_physics.world.urdf.reader import read_urdf
from model_nodes.main_physics.world.xml_file import Element, parse_xml

NS = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
LINKS = '<link name="a"/><link name="b"/>'
JOINT = '<joint name="turn" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'

NO_XACRO = {
    "param of ros2_control": '<ros2_control name="io" type="system"><joint name="turn"><command_interface'
    ' name="position"><param name="min">${-0.9*pi}</param></command_interface></joint></ros2_control>',
    "attribute in ros2_control": '<ros2_control name="${prefix}io" type="system"/>',
    "comment": '<!-- was: <origin xyz="0 ${side * 0.04} 0"/> and <xacro:arm/> -->',
    "plugin of Gazebo": "<gazebo><plugin name='${ns}p'><parameters>$(find x)/c.yaml</parameters></plugin></gazebo>",
    "transmission": '<transmission name="${name}_t"><type>x</type></transmission>',
    "text of a link": '<link name="c"><!-- ${x} --><description>${x}</description></link>'
    '<joint name="f" type="fixed"><parent link="b"/><child link="c"/></joint>',
}


def robot(inside: str, folder: Path, name: str = "r.urdf", attributes: str = "") -> Path:
    file = folder / name
    file.write_text(f'<robot name="r" {attributes}>{inside}</robot>')
    return file


@pytest.mark.parametrize("where", NO_XACRO)
def test_a_dollar_in_what_is_not_read_is_no_xacro(where: str, tmp_path: Path) -> None:
    file = robot(f"{LINKS}{JOINT}{NO_XACRO[where]}", tmp_path, attributes=NS)
    assert joints_of(file) == ("turn",)
    assert [j.name for j in read_urdf(file, Notes()).moving_joints] == ["turn"]
    assert urdf_of(file) == file.read_bytes()


MACRO = """<xacro:arg name="side" default="left"/><xacro:property name="length" value="0.3"/>
<xacro:macro name="part" params="name at">
  <link name="${name}"><collision><geometry><box size="0.1 0.1 ${length / 3}"/></geometry></collision></link>
  <joint name="$(arg side)_${name}" type="continuous"><parent link="a"/><child link="${name}"/>
    <origin xyz="0 0 ${at * length}"/></joint>
</xacro:macro>
<link name="a"/><xacro:part name="b" at="2"/>"""


@pytest.mark.parametrize("name", ["r.urdf.xacro", "r.xacro", "r.urdf"])
def test_xacro_is_read_by_its_library(name: str, tmp_path: Path) -> None:
    file = robot(MACRO, tmp_path, name, NS)
    body = read_urdf(file, Notes())
    (joint,) = body.moving_joints
    assert joint.name == "left_b"
    assert body.links[1].pose[2] == pytest.approx(0.6)
    assert body.links[1].geometries[0].size == pytest.approx((0.1, 0.1, 0.1))
    assert b"left_b" in urdf_of(file)
    assert b"xacro:part" not in urdf_of(file)


@pytest.mark.parametrize("include", ["$(find parts)/arm.xacro", "package://parts/arm.xacro"])
def test_packages_are_found_as_everywhere(include: str, tmp_path: Path) -> None:
    (tmp_path / "ros" / "my_parts").mkdir(parents=True)
    robot(MACRO, tmp_path / "ros" / "my_parts", "arm.xacro", NS)
    file = robot(f'<xacro:include filename="{include}"/>', tmp_path, "r.xacro", NS)
    mapped = Resources(tmp_path, packages={"parts": tmp_path / "ros" / "my_parts"})
    assert joints_of(file, mapped) == ("left_b",)
    with pytest.raises(BadInput, match="package example-robot-data"):
        joints_of(file)


@pytest.mark.parametrize(
    ("inside", "says"),
    [
        ('<link name="${side}"/>', "xacro cannot expand this: name 'side' is not defined"),
        ("<xacro:arm/>", "xacro cannot expand this: unknown macro name: xacro:arm"),
        ('<link name="$(arg x)"/>', "xacro cannot expand this: Undefined substitution argument x"),
        ('<xacro:include filename="no.xacro"/>', "No such file or directory: .*no.xacro"),
        ('<xacro:property name="a" value="${a}"/><link name="${a}"/>', "xacro cannot expand this"),
        ('<link name="${1/0}"/>', "xacro cannot expand this: division by zero"),
    ],
)
def test_xacro_that_cannot_be_expanded_is_refused(
    inside: str, says: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = robot(inside, tmp_path, "r.xacro", NS)
    with pytest.raises(BadInput, match=says) as caught:
        read_robot_xml(file)
    assert caught.value.file == str(file)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<robot name='r'>", "is not well-formed XML"),
        ("<sdf version='1.9'/>", "is not a robot"),
        ("<robot name='r'><link name='l'/></robot>", "has no joint that moves"),
    ],
)
def test_files_that_are_no_robots(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "r.urdf"
    file.write_text(text)
    with pytest.raises(BadInput, match=says) as caught:
        joints_of(file)
    assert caught.value.file == str(file)


def test_a_urdf_stays_as_it_is() -> None:
    assert urdf_of(TABLETOP_ARM) == TABLETOP_ARM.read_bytes()


class Lines:
    """A description as a package reads it: one joint a line."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def robot(self, notes: Notes) -> Element:
        notes.add("lines have no meshes")
        names = re.sub(r"<.*?>", "", self._file.read_text()).split()
        joints = [
            f'<joint name="{name}" type="continuous"><parent link="a"/><child link="{name}_l"/></joint>'
            for name in names
        ]
        links = [f'<link name="{name}"/>' for name in ("a", *(f"{n}_l" for n in names))]
        return parse_xml(f'<robot name="r">{"".join(links + joints)}</robot>'.encode(), self._file)

    def world(self, notes: Notes) -> World:
        return World("lines", (read_urdf(self.robot(notes), notes, driven=False),))

    def is_robot(self) -> bool:
        return True


def _reads(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let these be the only files that a package reads."""
    group = "hetwin.descriptions"
    points = [EntryPoint(name, f"{__name__}:Lines", group) for name in names]
    monkeypatch.setattr(installed, "_by_group", lambda _folders: {group: points})


@pytest.mark.parametrize(
    ("name", "text", "extra"),
    [("r.xml", "<mujoco/>", "mjcf"), ("r.usda", "#usda 1.0", "usd"), ("R.USD", "", "usd")],
)
def test_where_no_package_reads_it_what_to_install_is_said(
    name: str, text: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _reads(monkeypatch)
    (tmp_path / name).write_text(text)
    for read in (read_robot_xml, urdf_of, joints_of, read_world):
        with pytest.raises(BadInput, match=rf"{name}.*expected .*hetwin-suite\[{extra}\]"):
            read(tmp_path / name)


def test_a_package_reads_files_of_its_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _reads(monkeypatch, "lines")
    file = tmp_path / "r.lines"
    file.write_text("one two")
    assert joints_of(file) == ("one", "two")
    assert b"two_l" in urdf_of(file)
    notes = Notes()
    (body,) = read_world(file, notes).bodies
    assert [joint.name for joint in body.moving_joints] == ["one", "two"]
    assert notes.all() == ("lines have no meshes",)


def test_a_package_reads_files_with_its_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _reads(monkeypatch, "mujoco")
    file = tmp_path / "r.xml"
    file.write_text("<mujoco>one</mujoco>")
    assert read_world(file).name == "lines"
