"""`hetwin urdf describe`: contents and dimensions of robots and worlds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hetwin_command import hetwin, refused
from support.robot_files import TABLETOP_ARM, example
from support.two_links import write_csv, write_urdf

from hetwin_calibration.robot.denavit_hartenberg import DhRow, DhTable
from model_nodes.main_physics.world.robot_file import read_robot

HEADER = "name,of,measure,value"
TIAGO = "tiago_description/robots/tiago.urdf"
WORLD = """<sdf version="1.9"><world name="flat">
  <model name="fridge"><pose>1.0 3.5 0 0 0 1.5707963267948966</pose>
    <link name="case"><collision name="c"><pose>0 0 0.9 0 0 0</pose>
      <geometry><box><size>0.6 0.7 1.8</size></box></geometry></collision>
      <sensor name="inside" type="camera"/></link>
    <link name="door"><collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link>
    <joint name="hinge" type="revolute"><parent>case</parent><child>door</child>
      <axis><xyz>0 0 1</xyz><limit><lower>0</lower><upper>1.5</upper></limit></axis></joint>
  </model>
  <model name="ball"><pose>2 0 1 0 0 0</pose><link name="l"><collision name="c">
    <geometry><sphere><radius>0.25</radius></sphere></geometry></collision></link></model>
</world></sdf>"""


def described(*words: str | Path) -> dict[str, Any]:
    said = hetwin("urdf", "describe", *words, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)  # type: ignore[no-any-return]


def test_tiago_has_all_its_parts() -> None:
    printed = described(example(TIAGO))
    assert (printed["robot"], printed["links"], printed["joints"]) == ("tiago", 78, 77)
    assert printed["joints_by_type"] == {
        "revolute": 45,
        "fixed": 29,
        "continuous": 2,
        "prismatic": 1,
    }
    assert sorted(sensor["type"] for sensor in printed["sensors"]) == ["depth", "imu", "imu"]
    assert printed["missing_meshes"] == []
    assert printed["dh"] is None
    assert printed["dimensions"] == []


def test_tiago_is_as_large_as_the_paper_says(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    rows = (
        "height,*,height,1.10",
        "chassis,base_link,top,0.30",
        "cover,base_cover_link,diameter,0.54",
    )
    file = write_csv(tmp_path, HEADER, *rows)
    height, chassis, cover = described(example(TIAGO), "--measured", file)["dimensions"]
    assert height["name"] == "height"
    assert height["error"] == pytest.approx(abs(height["model"] - 1.10))
    assert height["error"] <= 0.02
    assert chassis["error"] <= 0.01
    assert cover["error"] <= 0.01


def test_a_table_is_printed_as_it_was_derived() -> None:
    printed = described(TABLETOP_ARM, "--base", "base_link", "--tip", "gripper_base")["dh"]
    assert set(printed["rows"][0]) == {"joint", "alpha", "a", "d", "theta"}
    rows = tuple(DhRow(slides=False, **row) for row in printed["rows"])
    table = DhTable(np.array(printed["base"]), rows, np.array(printed["tool"]))
    chain = read_robot(TABLETOP_ARM).chain("base_link", "gripper_base")
    positions = np.array([0.1, -0.4, 1.2, 0.3, -0.7, 2.0])
    expected = chain.place(positions)
    np.testing.assert_allclose(table.place(positions).position, expected.position, atol=1e-9)
    np.testing.assert_allclose(table.place(positions).rotation, expected.rotation, atol=1e-9)


def test_a_world_has_things_that_stand_somewhere(tmp_path: Path) -> None:
    world = tmp_path / "flat.sdf"
    world.write_text(WORLD)
    rows = (
        "fridge,fridge,x,1.02",
        "fridge,fridge,y,3.5",
        "its height,fridge,height,1.8",
        "its width,fridge::case,width,0.6",
        "ball,ball,top,1.3",
    )
    printed = described(world, "--measured", write_csv(tmp_path, HEADER, *rows))
    assert (printed["robot"], printed["links"]) == ("flat", 3)
    assert printed["joints_by_type"] == {"revolute": 1}
    assert printed["sensors"] == [{"name": "inside", "type": "camera", "link": "fridge::case"}]
    errors = [row["error"] for row in printed["dimensions"]]
    np.testing.assert_allclose(errors, [0.02, 0.0, 0.05, 0.0, 0.05], atol=1e-9)


def test_people_read_it(tmp_path: Path) -> None:
    rows = write_csv(tmp_path, HEADER, "foot,base_link,diameter,0.35")
    out = hetwin("urdf", "describe", TABLETOP_ARM, "--tip", "gripper_base", "--measured", rows).out
    assert out.startswith("tabletop_arm: 9 links, 8 joints (6 revolute, 2 prismatic)\n")
    assert "shoulder_pan_joint" in out
    assert "foot  0.3400     0.3500        0.0100" in out


MESH = (
    '<link name="hand"/>',
    '<link name="hand"><visual><geometry><mesh filename="no.stl"/></geometry></visual></link>',
)


def test_missing_meshes_are_named_and_dimensions_need_them(tmp_path: Path) -> None:
    urdf = write_urdf(tmp_path, MESH)
    assert described(urdf)["missing_meshes"] == ["no.stl"]
    assert "missing mesh: no.stl" in hetwin("urdf", "describe", urdf).out
    rows = write_csv(tmp_path, HEADER, "all,*,height,1")
    refused(
        tmp_path, "urdf", "describe", urdf, "--measured", rows, says=("two_links.urdf", "no.stl")
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,hand,depth,1", ("line 2", "no such measure", "'depth'", "height")),
        ("a,hnd,height,1", ("line 2", "no such part", "'hnd'", "'hand'")),
        ("a,hand,height,1", ("line 2", "no shape", "'hand'")),
        ("a,hand,height,tall", ("line 2, column value", "'tall'")),
    ],
)
def test_bad_measurements_end_with_2_and_their_line(
    tmp_path: Path, row: str, says: tuple[str, ...]
) -> None:
    rows = write_csv(tmp_path, HEADER, row)
    refused(tmp_path, "urdf", "describe", write_urdf(tmp_path), "--measured", rows, says=says)


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "page.xml"
    other.write_text("<html/>")
    refused(tmp_path, "urdf", "describe", other, says=("neither a robot nor a world", "<html>"))
    world = tmp_path / "flat.sdf"
    world.write_text(WORLD)
    refused(tmp_path, "urdf", "describe", world, "--tip", "door", says=("--base, --tip", "URDF"))
