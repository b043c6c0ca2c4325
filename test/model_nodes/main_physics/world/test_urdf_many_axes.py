"""Planar and floating joints of URDF: the base at the root, a chain of scalar joints elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.recorded_bags import MS, TYPES, Recorded, header, plain, write_bag
from transforms3d.euler import euler2quat
from transforms3d.quaternions import axangle2quat, qmult, rotate_vector

from model_nodes.main_physics.engines.engine import EngineSettings
from model_nodes.main_physics.engines.factory import make_engine
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.world.description import Body, World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
ORIGIN = '<origin xyz="1 2 3" rpy="0 0 0"/>'
NORMAL = (0.6, 0.0, 0.8)
PLANE = f'<axis xyz="{NORMAL[0]} {NORMAL[1]} {NORMAL[2]}"/>'


def robot(folder: Path, kind: str, root: str = INERTIAL, notes: Notes | None = None) -> Body:
    """A root link, and a robot that a joint `ride` carries: a trunk with an arm."""
    text = f"""<robot name="r"><link name="root">{root}</link>
      <link name="trunk">{INERTIAL}</link><link name="arm">{INERTIAL}</link>
      <joint name="ride" type="{kind}"><parent link="root"/><child link="trunk"/>{ORIGIN}{PLANE}</joint>
      <joint name="lift" type="continuous"><parent link="trunk"/><child link="arm"/></joint></robot>"""
    file = folder / "r.urdf"
    file.write_text(text)
    return read_urdf(file, notes or Notes())


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_below_a_root_that_is_only_a_frame_it_is_the_base(tmp_path: Path, kind: str) -> None:
    notes = Notes()
    body = robot(tmp_path, kind, "", notes)
    assert [link.name for link in body.links] == ["trunk", "arm"]
    assert [joint.name for joint in body.joints] == ["lift"]
    assert body.pose[:3] == (1, 2, 3)
    assert notes.all() == (
        f"robot r.urdf: joint ride: type {kind} is the robot's base; robot.base determines its motion",
    )


def posed(body: Body, positions: dict[str, float]) -> np.ndarray:
    """(7,) where the engine has the trunk with these positions of its joints."""
    engine = make_engine("mujoco")
    notes = engine.load(World("test", (body,)), EngineSettings(0.0025))
    assert notes == ()  # the links between are no fault of the robot's
    places = np.array([positions.get(name, 0.0) for name in engine.joints])
    engine.place_joints(places, np.zeros_like(places))
    frames = np.empty((len(engine.frames), 13))
    engine.read_frames(frames)
    pose: np.ndarray = frames[engine.frames.index("trunk"), :7]
    return pose


def test_elsewhere_a_planar_joint_moves_in_the_plane_of_its_axis(tmp_path: Path) -> None:
    notes = Notes()
    body = robot(tmp_path, "planar", notes=notes)
    assert [j.name for j in body.joints] == ["ride/x", "ride/y", "ride/yaw", "lift"]
    assert [link.name for link in body.links] == ["root", "ride/x", "ride/y", "trunk", "arm"]
    assert notes.all() == (
        "robot r.urdf: joint ride: type planar has the joints ride/x, ride/y, ride/yaw",
    )
    pose = posed(body, {"ride/x": 0.3, "ride/y": -0.2, "ride/yaw": 0.7})
    # x is the frame's own as far as it lies in the plane.
    moved = 0.3 * np.array([0.8, 0, -0.6]) - 0.2 * np.array([0, 1, 0])
    assert pose[:3] == pytest.approx(np.array([1, 2, 3]) + moved)
    assert pose[3:] == pytest.approx(axangle2quat(NORMAL, 0.7))


def test_elsewhere_a_floating_joint_moves_and_turns_as_roll_pitch_and_yaw_say(
    tmp_path: Path,
) -> None:
    body = robot(tmp_path, "floating")
    names = [f"ride/{name}" for name in ("x", "y", "z", "yaw", "pitch", "roll")]
    assert [j.name for j in body.joints] == [*names, "lift"]
    pose = posed(body, dict(zip(names, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6), strict=True)))
    assert pose[:3] == pytest.approx([1.1, 2.2, 3.3])
    assert pose[3:] == pytest.approx(euler2quat(0.6, 0.5, 0.4, "sxyz"))


def carried(time_ns: int, kind: str) -> dict[str, float]:
    """Positions over time; it turns on and on."""
    t = time_ns / 1e9
    x, y, yaw = 0.3 * t, 0.1 * np.sin(t), 2.5 * t
    if kind == "planar":
        return {"ride/x": x, "ride/y": y, "ride/yaw": yaw}
    more = {"ride/z": 0.1 * t, "ride/pitch": 0.3 * np.sin(t), "ride/roll": -0.2 * t}
    return {"ride/x": x, "ride/y": y, "ride/yaw": yaw, **more}


def transform(time_ns: int, kind: str) -> Recorded:
    """The transform of the trunk in the root, computed from the positions."""
    at = carried(time_ns, kind)
    shift = np.array([at["ride/x"], at["ride/y"], at.get("ride/z", 0.0)])
    turn = euler2quat(at.get("ride/roll", 0.0), at.get("ride/pitch", 0.0), at["ride/yaw"], "sxyz")
    if kind == "planar":
        tilt = axangle2quat((0, 1, 0), np.arctan2(0.6, 0.8))
        shift = rotate_vector(shift, tilt)
        turn = qmult(qmult(tilt, turn), tilt * (1, -1, -1, -1))
    w, x, y, z = turn
    vector, quaternion = (TYPES.types[f"geometry_msgs/msg/{n}"] for n in ("Vector3", "Quaternion"))
    one = TYPES.types["geometry_msgs/msg/TransformStamped"](
        header=header(time_ns, "root"),
        child_frame_id="trunk",
        transform=TYPES.types["geometry_msgs/msg/Transform"](
            translation=vector(*(np.array([1, 2, 3]) + shift)), rotation=quaternion(x, y, z, w)
        ),
    )
    return plain(time_ns, "/tf", "tf2_msgs/msg/TFMessage", transforms=[one])


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_recorded_transforms_move_all_its_axes(tmp_path: Path, kind: str) -> None:
    body = robot(tmp_path, kind)
    times = [k * 20 * MS for k in range(150)]
    bag = write_bag(tmp_path / "bag", [transform(time_ns, kind) for time_ns in times])
    source = open_source({"recording": str(bag)}, robots=[body])
    names = list(carried(0, kind))
    assert source.bind(names, 20 * MS).all()
    for time_ns in times:
        wanted = list(carried(time_ns, kind).values())
        np.testing.assert_allclose(source.motion(time_ns).positions, wanted, atol=1e-9)
