"""Robots in URDF: what is read, repaired, remarked on, refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.robot_files import TABLETOP_ARM, data, example

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.world.description import IDENTITY, Body, Inertial, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.transforms import compose, from_rpy, pose_of, principal
from model_nodes.main_physics.world.urdf.reader import read_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<limit lower="-1" upper="1" effort="1" velocity="1"/>{inside}</joint>'
    )


def links(*names: str) -> str:
    return "".join(f'<link name="{name}">{INERTIAL}</link>' for name in names)


def read(tmp_path: Path, inside: str, notes: Notes | None = None) -> Body:
    file = tmp_path / "r.urdf"
    file.write_text(f'<robot name="r">\n{inside}\n</robot>')
    return read_urdf(file, notes or Notes())


def load(body: Body) -> tuple[str, ...]:
    """What the engine remarks when it loads the robot."""
    return make_engine("mujoco").load(World("test", (body,)), EngineSettings(0.0025))


def test_joints_and_mimics_are_read(tmp_path: Path) -> None:
    mimic = '<mimic joint="a" multiplier="-2" offset="0.5"/><origin xyz="1 2 3" rpy="0 0 0"/>'
    body = read(
        tmp_path,
        links("base", "one", "two", "three")
        + joint("a", "base", "one", inside='<axis xyz="0 0 2"/>')
        + joint("b", "one", "two", "prismatic", mimic)
        + joint("c", "base", "three", "continuous"),
    )
    a, b, c = body.joints
    assert (a.axis, a.lower, a.upper) == ((0, 0, 1), -1, 1)
    assert b.mimic is not None
    assert (b.mimic.joint, b.mimic.multiplier, b.mimic.offset) == ("a", -2, 0.5)
    assert (c.lower, c.upper) == (None, None)
    assert body.links[2].pose[:3] == (1, 2, 3)
    assert [part.name for part in body.links] == ["base", "one", "two", "three"]


def test_the_order_in_the_file_does_not_matter(tmp_path: Path) -> None:
    body = read(
        tmp_path,
        joint("b", "one", "two") + links("two", "one", "base") + joint("a", "base", "one"),
    )
    assert [j.name for j in body.joints] == ["a", "b"]


def test_meshes_that_are_absent_are_named(tmp_path: Path) -> None:
    notes = Notes()
    mesh = '<collision><geometry><mesh filename="package://none/x.stl"/></geometry></collision>'
    read(tmp_path, f'<link name="l">{INERTIAL}{mesh}</link>', notes)
    (note,) = notes.mesh_notes()
    assert note in notes.all()
    assert "mesh package://none/x.stl is left out" in note
    assert "none: FOLDER" in note


def test_what_is_not_carried_over_is_named(tmp_path: Path) -> None:
    notes = Notes()
    gazebo = "<gazebo><plugin/></gazebo>"
    read(tmp_path, links("l") + "<transmission/><transmission/>" + gazebo, notes)
    assert any("<transmission> is not carried over (2" in n for n in notes.all())
    assert any("<gazebo/plugin> is not carried over (1" in n for n in notes.all())


def test_friction_is_read_from_gazebos_extension(tmp_path: Path) -> None:
    notes = Notes()
    ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
    gazebo = '<gazebo reference="l"><mu1>0.7</mu1><mu2>0.7</mu2></gazebo>'
    body = read(tmp_path, f'<link name="l">{INERTIAL}{ball}</link>{gazebo}', notes)
    assert body.links[0].geometries[0].friction == 0.7
    assert notes.all() == ()


def test_a_root_link_named_world_does_not_take_the_fixed_frames_name(tmp_path: Path) -> None:
    body = read(tmp_path, '<link name="world"/>' + links("arm") + joint("j", "world", "arm"))
    engine = make_engine("mujoco")
    engine.load(World("test", (body,)), EngineSettings(0.0025))
    assert engine.frames == ("arm", "r::world")


BAD = {
    "no links": ("", "no links"),
    "two roots": (links("a", "b"), "2 root links"),
    "two links of a name": (links("a", "a"), "second link"),
    "two joints of a name": (
        links("a", "b", "c") + joint("j", "a", "b") + joint("j", "a", "c"),
        "second joint",
    ),
    "two parents": (
        links("a", "b", "c") + joint("j", "a", "c") + joint("k", "b", "c"),
        "two parents",
    ),
    "a loop": (
        links("a", "b", "c") + joint("j", "b", "c") + joint("k", "c", "b"),
        "loop",
    ),
    "link that does not exist": (links("a") + joint("j", "a", "x"), "does not exist"),
    "unknown type": (links("a", "b") + joint("j", "a", "b", "glued"), "unknown type"),
    "no child": (
        '<link name="a"/><joint name="j" type="fixed"><parent link="a"/></joint>',
        "child",
    ),
    "axis without direction": (
        links("a", "b") + joint("j", "a", "b", inside='<axis xyz="0 0 0"/>'),
        "no direction",
    ),
    "mimic of nothing": (
        links("a", "b") + joint("j", "a", "b", inside='<mimic joint="x"/>'),
        "mimics itself, a missing joint",
    ),
    "limits upside down": (
        links("a", "b") + joint("j", "a", "b").replace('lower="-1"', 'lower="2"'),
        "lower above upper",
    ),
    "negative mass": ('<link name="a">' + INERTIAL.replace('"1"', '"-1"', 1) + "</link>", "small"),
    "mass no number": (
        '<link name="a">' + INERTIAL.replace('"1"', '"x"', 1) + "</link>",
        "numbers",
    ),
    "radius missing": (
        '<link name="a"><collision><geometry><sphere/></geometry></collision></link>',
        "radius",
    ),
    "xacro": ('<link name="${arm}_base"/>', "xacro"),
}


@pytest.mark.parametrize(("inside", "says"), BAD.values(), ids=BAD.keys())
def test_a_bad_robot_is_refused(tmp_path: Path, inside: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as caught:
        read(tmp_path, inside)
    assert caught.value.file == str(tmp_path / "r.urdf")


moments = st.floats(-1.0, 10.0, allow_nan=False)


@given(st.tuples(*[moments] * 6), st.floats(0, 100))
def test_a_repaired_inertia_is_one_that_a_body_can_have(
    inertia: tuple[float, float, float, float, float, float], mass: float
) -> None:
    fixed, _ = principal(Inertial(mass, IDENTITY, inertia))
    a, b, c = sorted(fixed.inertia[:3])
    assert fixed.mass > 0
    assert a > 0
    assert a + b >= c * (1 - 1e-9)
    assert fixed.inertia[3:] == (0, 0, 0)


def test_a_sound_inertia_is_not_changed() -> None:
    sound = Inertial(1.0, IDENTITY, (0.3, 0.2, 0.4, 0.0, 0.0, 0.0))
    fixed, faults = principal(sound)
    assert faults == ""
    assert sorted(fixed.inertia[:3]) == pytest.approx([0.2, 0.3, 0.4])


def test_the_tabletop_arm_loads() -> None:
    body = read_urdf(TABLETOP_ARM, Notes())
    assert len(body.moving_joints) == 8
    assert load(body) == ()


def test_baxter_loads_with_its_meshes() -> None:
    pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    notes = Notes()
    body = read_urdf(example("baxter_description/urdf/baxter.urdf"), notes)
    assert not [note for note in notes.all() if "mesh" in note]
    names = [j.name for j in body.moving_joints]
    assert len(names) == 19
    mimics = [j for j in body.moving_joints if j.mimic is not None]
    assert {j.mimic.joint for j in mimics if j.mimic} == {
        "l_gripper_l_finger_joint",
        "r_gripper_l_finger_joint",
    }
    engine = make_engine("mujoco")
    engine.load(World("test", (body,)), EngineSettings(0.0025))
    assert "right_gripper" in engine.frames
    assert set(engine.driven) == set(names)


@pytest.mark.parametrize("name", ["tiago.urdf", "tiago_no_hand.urdf"])
def test_tiago_loads_and_its_inertias_are_repaired(name: str) -> None:
    body = read_urdf(example(f"tiago_description/robots/{name}"), Notes())
    repaired = [remark for remark in load(body) if "repaired" in remark]
    assert len(repaired) >= 3
    assert any("base_antenna_left_link" in remark for remark in repaired)


def test_the_kuka_loads_without_its_meshes() -> None:
    notes = Notes()
    body = read_urdf(data("kuka_lwr_mcap/lwr.urdf"), notes)
    assert len(body.moving_joints) == 7
    assert "13 of package lwr_defs" in notes.mesh_notes()[0]
    assert len(notes.mesh_notes()) == 1
    load(body)


def test_forward_kinematics_of_the_arm_agree_with_plain_transforms() -> None:
    # Turn every joint of the tabletop arm and compose its transforms by hand.
    body = read_urdf(TABLETOP_ARM, Notes())
    engine = make_engine("mujoco")
    engine.load(World("test", (body,)), EngineSettings(0.0025))
    angles = dict(zip(engine.driven, np.linspace(0.1, 0.8, len(engine.driven)), strict=True))
    positions = np.array([angles[name] for name in engine.joints])
    engine.place_joints(positions, np.zeros_like(positions))
    out = np.empty((len(engine.frames), 13))
    engine.read_frames(out)
    expected = {body.links[0].name: body.pose}
    joints = {j.child: j for j in body.joints}
    for part in body.links[1:]:
        j = joints[part.name]
        value = angles.get(j.name, 0.0)
        if j.kind == "hinge":
            half = value / 2
            axis = [np.sin(half) * a for a in j.axis]
            moved = pose_of([0, 0, 0, np.cos(half), *axis])
        else:
            moved = from_rpy([value * a for a in j.axis], [0, 0, 0])
        expected[part.name] = compose(compose(expected[j.parent], part.pose), moved)
    for name, pose in expected.items():
        row = out[engine.frames.index(name)]
        assert row[:3] == pytest.approx(pose[:3], abs=1e-12)
        assert abs(row[3:7] @ np.array(pose[3:])) == pytest.approx(1, abs=1e-12)


# ---------------------------------------------------------------------- packages with a folder


def with_meshes(*references: str) -> str:
    meshes = (
        f'<collision><geometry><mesh filename="{reference}"/></geometry></collision>'
        for reference in references
    )
    return f'<link name="l">{INERTIAL}{"".join(meshes)}</link>'


def read_with_packages(folder: Path, inside: str, packages: dict[str, Path]) -> tuple[str, ...]:
    """Read a robot; what is said of its meshes."""
    file = folder / "robot.urdf"
    file.write_text(f'<robot name="r">{inside}</robot>', encoding="utf-8")
    notes = Notes()
    read_urdf(file, notes, resources=Resources(folder, packages=packages))
    return notes.mesh_notes()


def tetrahedron(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", encoding="utf-8"
    )
    return file


@pytest.mark.parametrize("inside", ["meshes", "arm/meshes"])
def test_a_mapped_package_is_found_where_it_is_mapped_to(tmp_path: Path, inside: str) -> None:
    tetrahedron(tmp_path / "elsewhere" / inside / "x.obj")
    said = read_with_packages(
        tmp_path, with_meshes("package://arm/meshes/x.obj"), {"arm": tmp_path / "elsewhere"}
    )
    assert said == ()


def test_a_mapped_package_is_looked_for_nowhere_else(tmp_path: Path) -> None:
    tetrahedron(tmp_path / "arm" / "x.obj")
    (tmp_path / "elsewhere").mkdir()
    (said,) = read_with_packages(
        tmp_path, with_meshes("package://arm/x.obj"), {"arm": tmp_path / "elsewhere"}
    )
    assert "is not in the folder of arm" in said


def test_meshes_that_are_absent_share_one_note_with_counts_and_packages(tmp_path: Path) -> None:
    references = [f"package://{name}/{i}.stl" for name in ("arm", "hand") for i in range(3)]
    (said,) = read_with_packages(tmp_path, with_meshes(*references, "beside.stl"), {})
    assert "7 meshes are left out" in said
    assert "3 of package arm" in said
    assert "3 of package hand" in said
    assert "arm: FOLDER, hand: FOLDER" in said
