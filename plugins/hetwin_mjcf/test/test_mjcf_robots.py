"""MJCF robots: that they are what MuJoCo makes of them, and what is lost of them by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco as mj
import numpy as np
import pytest
from support.menagerie import ROBOTS, write_robot, write_wedge
from support.robot_files import TABLETOP_ARM

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from hetwin_mjcf.description import Mjcf
from hetwin_suite.scaffolding.hands import find_hands
from hetwin_suite.scaffolding.reach import link_frames, surface_points
from model_nodes.main_physics.world.description import Body, JointKind
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.robot_file import read_robot
from model_nodes.main_physics.world.robot_xml import joints_of, urdf_of
from model_nodes.main_physics.world.sdf.reader import read_world
from model_nodes.main_physics.world.urdf.reader import read_urdf

ARM = """<mujoco model="odd">
  <compiler angle="radian" meshdir="assets" {compiler}/>
  <default><geom contype="0" conaffinity="0"/></default>
  <asset>
    <mesh name="wedge" file="wedge.stl" scale="0.3 0.3 0.3" refpos="0.1 0.2 0.3" refquat="0.8 0.6 0 0"/>
    <mesh name="plain" file="wedge.stl" scale="0.1 0.2 0.3" refpos="0.1 0.2 0.3"/>
  </asset>
  <worldbody>
    <body name="base" pos="0.1 0.2 0.3" quat="0.9 0.1 0.3 0.2">
      <geom type="box" size="0.1 0.1 0.1"/>
      <body name="swings" pos="0 0.1 0.4" euler="0.3 0.2 0.1">
        <joint name="turn" axis="0.6 0 0.8" pos="0.1 -0.2 0.05" ref="0.4" range="-1 2"/>
        <joint name="push" type="slide" axis="0 0.6 0.8" ref="-0.1" range="-0.3 0.3"/>
        <joint name="roll" axis="1 0 0" pos="0 0 0.3"/>
        <geom type="mesh" mesh="wedge" pos="0.1 0 0" euler="0.5 0 0.2"/>
        <geom type="ellipsoid" size="0.1 0.05 0.2"/>
        <body name="tip" pos="0.2 0 0"><joint name="last" axis="0 0 1" range="-1 1"/>
          <geom type="mesh" mesh="plain" mass="0.5"/><site name="at_tip"/></body>
      </body>
    </body>
  </worldbody>
  {rest}
</mujoco>"""


def odd(folder: Path, compiler: str = "", rest: str = "") -> Path:
    (folder / "assets").mkdir(parents=True, exist_ok=True)
    write_wedge(folder / "assets" / "wedge.stl")
    file = folder / "odd.xml"
    file.write_text(ARM.format(compiler=compiler, rest=rest))
    return file


def placed(body: Body, model: Any, data: Any) -> None:
    """Compare the frames of all links with those of MuJoCo's bodies, at the same positions of the joints."""
    at = {
        joint.name: np.array([data.qpos[model.joint(joint.name).qposadr[0]]])
        for joint in body.moving_joints
        if joint.mimic is None
    }
    frames = link_frames(body, at)
    root = model.body(body.links[0].name).id if body.links[0].name != "world" else 0
    to_root = np.linalg.inv(matrix(data, root))
    for link in body.links:
        index = mj.mj_name2id(model, mj.mjtObj.mjOBJ_BODY, link.name)
        if index > 0:
            np.testing.assert_allclose(
                frames[link.name][0], to_root @ matrix(data, index), atol=1e-9, err_msg=link.name
            )


def matrix(data: Any, body: int) -> Floats:
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
    return frame


@pytest.mark.parametrize("seed", range(3))
def test_links_are_where_mujoco_has_its_bodies(seed: int, tmp_path: Path) -> None:
    file = odd(tmp_path)
    model = mj.MjModel.from_xml_path(str(file))
    data = mj.MjData(model)
    data.qpos[:] = np.random.default_rng(seed).uniform(-1, 1, model.nq)
    mj.mj_kinematics(model, data)
    placed(read_urdf(file, Notes()), model, data)


@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "linkage"])
def test_robots_of_the_menagerie_are_where_mujoco_has_them(name: str, tmp_path: Path) -> None:
    file = write_robot(name, tmp_path)
    model = mj.MjModel.from_xml_path(str(file))
    data = mj.MjData(model)
    rng = np.random.default_rng(7)
    data.qpos[:] = rng.uniform(model.jnt_range[:, 0], model.jnt_range[:, 1])
    for i in range(model.neq):
        one, other = (model.jnt_qposadr[k[i]] for k in (model.eq_obj1id, model.eq_obj2id))
        data.qpos[one] = data.qpos[other]
    mj.mj_kinematics(model, data)
    placed(read_urdf(file, Notes()), model, data)


def test_meshes_and_masses_are_where_mujoco_has_them(tmp_path: Path) -> None:
    file = odd(tmp_path)
    model = mj.MjModel.from_xml_path(str(file))
    body = read_urdf(file, Notes())
    for link in body.links:
        index = mj.mj_name2id(model, mj.mjtObj.mjOBJ_BODY, link.name)
        if index < 0:
            continue
        assert link.inertial is not None
        assert link.inertial.mass == pytest.approx(model.body_mass[index])
        np.testing.assert_allclose(link.inertial.pose[:3], model.body_ipos[index], atol=1e-9)
        for geom in range(model.ngeom):
            if model.geom_bodyid[geom] == index and model.geom_type[geom] == mj.mjtGeom.mjGEOM_MESH:
                own = vertices(model, geom)
                read = surface_points(link)
                away = np.linalg.norm(own[:, None] - read[None], axis=2).min(axis=1)
                assert away.max() < 1e-5


def vertices(model: Any, geom: int) -> Floats:
    """(n, 3) of a mesh, in the frame of its body."""
    mesh = model.geom_dataid[geom]
    first = model.mesh_vertadr[mesh]
    local = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(np.float64)
    frame = np.zeros(9)
    mj.mju_quat2Mat(frame, model.geom_quat[geom])
    return np.asarray(local @ frame.reshape(3, 3).T + model.geom_pos[geom])


HANDS = {
    "parallel": {"finger_joint1": (0.04, 0.0), "finger_joint2": (0.04, 0.0)},
    "linkage": {"right_driver_joint": (0.0, 0.8), "left_driver_joint": (0.0, 0.8)},
    "fingers": {"index_0": (0.0, 1.2), "ring_1": (0.0, 1.2), "thumb_0": (0.0, 1.2)},
    "two_arms": {"left/finger_joint1": (0.04, 0.0)},
}


@pytest.mark.parametrize("name", HANDS)
def test_hands_open_and_close_the_right_way(name: str, tmp_path: Path) -> None:
    body = read_urdf(write_robot(name, tmp_path), Notes())
    hands = find_hands(body, {})
    assert len(hands) == (2 if name == "two_arms" else 1)
    hand = hands[0]
    ends = dict(zip(hand.joints, zip(hand.opened, hand.closed, strict=True), strict=True))
    for joint, (opened, closed) in HANDS[name].items():
        assert ends[joint] == pytest.approx((opened, closed))


def test_a_loop_follows_its_driver_as_it_does_in_mujoco(tmp_path: Path) -> None:
    notes = Notes()
    body = read_urdf(write_robot("linkage", tmp_path), notes)
    mimics = {j.name: j.mimic for j in body.moving_joints if j.mimic is not None}
    finger, spring = mimics["right_finger_joint"], mimics["left_spring_link_joint"]
    assert finger.joint == spring.joint == "right_driver_joint"
    assert (finger.multiplier, spring.multiplier) == pytest.approx((-1.0, 1.0), abs=1e-3)
    assert any("a loop is opened: right_finger_joint follows" in note for note in notes.all())


def test_a_mesh_that_is_not_there_is_left_out_by_name(tmp_path: Path) -> None:
    notes = Notes()
    body = read_urdf(write_robot("parallel", tmp_path, mesh=False), notes)
    assert notes.left_out_meshes() == ("link.stl",)
    assert len(body.moving_joints) == 5


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        (
            "<tendon><fixed name='rope'><joint joint='turn' coef='1'/></fixed></tendon>",
            "not carried over: tendon (rope)",
        ),
        (
            "<contact><exclude name='pair' body1='base' body2='tip'/></contact>",
            "not carried over: excluded contact (pair)",
        ),
        (
            "<equality><weld name='glue' body1='base' body2='tip'/></equality>",
            "not carried over: weld equality (glue)",
        ),
        (
            "<equality><joint joint1='turn' joint2='last' polycoef='0 1 2 0 0'/></equality>",
            "turn does not depend linearly on one other joint",
        ),
        (
            "<keyframe><key name='home' qpos='0 0 0 0'/></keyframe>",
            "not carried over: keyframe (home)",
        ),
        (
            "<sensor><force name='touch' site='at_tip'/></sensor>",
            "<gazebo/sensor> is not carried over (1 in the file)",
        ),
    ],
)
def test_what_is_lost_is_said_by_name(rest: str, says: str, tmp_path: Path) -> None:
    notes = Notes()
    read_urdf(odd(tmp_path, rest=rest), notes)
    assert any(says in note for note in notes.all()), notes.all()


def test_effort_limits_are_those_of_the_drives(tmp_path: Path) -> None:
    rest = """<actuator><motor joint="turn" gear="5" ctrlrange="-2 2"/>
      <position joint="last" forcerange="-7 7"/></actuator>"""
    body = read_urdf(odd(tmp_path, rest=rest), Notes())
    limits = {joint.name: joint.max_effort for joint in body.moving_joints}
    assert limits == {"turn": 10.0, "push": None, "roll": None, "last": 7.0}
    kinds = {joint.name: (joint.kind, joint.lower) for joint in body.moving_joints}
    assert kinds["roll"] == (JointKind.HINGE, None)
    assert kinds["push"] == (JointKind.SLIDE, -0.3)


def test_it_has_a_urdf_that_says_the_same(tmp_path: Path) -> None:
    file = odd(tmp_path)
    urdf = tmp_path / "odd.urdf"
    urdf.write_bytes(urdf_of(file))
    again, body = read_urdf(urdf, Notes()), read_urdf(file, Notes())
    assert [link.pose for link in again.links] == [link.pose for link in body.links]
    assert joints_of(urdf) == joints_of(file) == ("turn", "push", "roll", "last")
    assert urdf_of(TABLETOP_ARM) == TABLETOP_ARM.read_bytes()


def test_chains_are_read_as_of_a_urdf(tmp_path: Path) -> None:
    robot = read_robot(write_robot("parallel", tmp_path))
    assert robot.chain("base", "hand", limited=True).joints == ("joint1", "joint2", "joint3")


def test_what_mujoco_cannot_read_is_refused_with_its_words(tmp_path: Path) -> None:
    file = tmp_path / "bad.xml"
    file.write_text("<mujoco><worldbody><geom type='heap'/></worldbody></mujoco>")
    with pytest.raises(BadInput, match=r"MuJoCo cannot read this: .*heap") as caught:
        read_urdf(file, Notes())
    assert caught.value.file == str(file)


@pytest.mark.parametrize("name", ROBOTS)
def test_a_scene_has_its_robot_and_its_things(name: str, tmp_path: Path) -> None:
    scene = write_robot(name, tmp_path).parent / "scene.xml"
    bodies = {body.name: body for body in read_world(scene).bodies}
    assert bodies["floor"].static
    assert not bodies["box"].static
    assert bodies["box"].pose[:3] == pytest.approx((0.5, 0.0, 0.03))
    (robot,) = [body for body in bodies.values() if body.file is not None]
    own = read_urdf(scene, notes := Notes())
    assert [j.name for j in robot.joints] == [j.name for j in own.joints]
    assert any("not carried over: object of the scene (box, floor)" in n for n in notes.all())


def test_a_height_field_that_says_to_be_large(tmp_path: Path) -> None:
    file = tmp_path / "a.xml"
    size = 'nrow="8000" ncol="8000" size="1 1 1 1"'
    file.write_text(f'<mujoco><asset><hfield name="h" {size}/></asset><worldbody/></mujoco>')
    with pytest.raises(BadInput, match="a height field has more than 128 MiB"):
        read_world(file)


def test_a_file_without_joints_is_no_robot(tmp_path: Path) -> None:
    file = tmp_path / "r.xml"
    file.write_text("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    assert not Mjcf(file).is_robot()
    with pytest.raises(BadInput, match="has no joint that moves") as caught:
        joints_of(file)
    assert caught.value.file == str(file)


def test_a_world_includes_it(tmp_path: Path) -> None:
    arm = odd(tmp_path)
    file = tmp_path / "w.sdf"
    include = f"<include><uri>{arm}</uri></include>"
    file.write_text(f'<sdf version="1.9"><world name="w">{include}</world></sdf>')
    (body,) = read_world(file).bodies
    assert {"turn", "push", "roll", "last"} <= {joint.name for joint in body.joints}
