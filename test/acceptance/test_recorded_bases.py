"""Twins of mobile robots follow their recordings, and push and carry what they touch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from support.mobile_recordings import CART, Planar, amcl, drive, matrix, odometry, planar
from support.recorded_bags import MS, joints, write_bag
from support.robot_recordings import Recording, needs
from support.twin_runs import times_of, twin_run

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.poses import relative_to
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.episode import Episode

WORLD = """<sdf version='1.9'><world name='hall'>
  <model name='floor'><static>true</static><link name='link'><collision name='c'><geometry>
    <box><size>10 10 0.1</size></box></geometry></collision></link><pose>0 0 -0.05 0 0 0</pose></model>
  <model name='crate'><pose>{crate} 0.1 0 0 0.7</pose><link name='link'>
    <inertial><mass>2</mass><inertia><ixx>0.013</ixx><iyy>0.013</iyy><izz>0.013</izz></inertia></inertial>
    <collision name='c'><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision></link></model>
  <model name='parcel'><pose>{parcel} 0.26 0 0 0.7</pose><link name='link'>
    <inertial><mass>0.5</mass><inertia><ixx>0.001</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>
    <collision name='c'><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model>
</world></sdf>"""
START = (1.0, -2.0, 0.7)
CORRECTED = (1.08, -2.05, 0.8)
JUMP_S = 2.5
MM, MRAD = 1e-3, 1e-3


def expected(seconds: float) -> Planar:
    start = START if seconds < JUMP_S else CORRECTED
    return planar(matrix(*start) @ matrix(*drive(seconds)))


def recorded(folder: Path) -> Path:
    """Joint states, odometry and a localization that puts the robot elsewhere after 2.5 s."""
    lift = [joints(t, ("lift_joint",), (t / 1e10,)) for t in range(0, 6_000_000_001, 20 * MS)]
    poses = [amcl(t, expected(t / 1e9)) for t in (0, round(JUMP_S * 1e9), 4000 * MS)]
    messages = sorted([*lift, *odometry(), *poses], key=lambda one: one.time_ns)
    return write_bag(folder / "bag", messages)


def scenario(folder: Path, **base: object) -> Path:
    (folder / "cart.urdf").write_text(CART)
    ahead, above = (matrix(*START) @ matrix(x, 0.0, 0.0) for x in (0.6, 0.0))
    world = WORLD.format(
        crate=f"{ahead[0, 3]} {ahead[1, 3]}", parcel=f"{above[0, 3]} {above[1, 3]}"
    )
    (folder / "hall.sdf").write_text(world)
    robot = {"urdf": "cart.urdf", "pose": [0, 0, 0.105, 1, 0, 0, 0], "base": base}
    content = {
        "scenario": "cart",
        "world": "hall.sdf",
        "robot": robot,
        "rate": 400,
        "source": str(recorded(folder)),
        "models": {"physics": {"type": "main_physics", "main": True, "engine": "mujoco"}},
        "responsibilities": [{"entity": "*", "attribute": "pose", "model": "physics"}],
        "log": {"state_rate": 100},
    }
    file = folder / "cart.yaml"
    file.write_text(yaml.safe_dump(content, sort_keys=False))
    return file


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    folder = tmp_path_factory.mktemp("cart")
    file = scenario(folder, odometry="/odom", start="/amcl_pose")
    return twin_run(file, folder / "run")


def yaw_of(poses: Floats) -> Floats:
    return 2.0 * np.arctan2(poses[:, 6], poses[:, 3])


def test_the_base_is_where_odometry_and_the_localization_say(twin: Episode) -> None:
    poses = twin.pose("cart")
    wanted = np.array([expected(seconds) for seconds in twin.seconds])
    away = np.linalg.norm(poses[:, :2] - wanted[:, :2], axis=1)
    turned = np.abs(np.remainder(yaw_of(poses) - wanted[:, 2] + np.pi, 2.0 * np.pi) - np.pi)
    print(f"base: at most {1e3 * away.max():.3f} mm and {1e3 * turned.max():.3f} mrad off")
    assert away.max() < MM
    assert turned.max() < MRAD
    assert np.abs(poses[:, 2] - 0.105).max() < MM


def test_its_joints_move_on_it(twin: Episode) -> None:
    height = twin.pose("lift")[:, 2] - twin.pose("cart")[:, 2]
    np.testing.assert_allclose(height, 0.1 * twin.seconds, atol=1e-3)


def test_a_correction_is_told_once(twin: Episode) -> None:
    assert times_of(twin, "base_corrected") == [JUMP_S]
    (event,) = (event for event in twin.events if event.name == "base_corrected")
    assert "/amcl_pose puts it" in event.arguments["remark"]
    assert event.arguments["object"] == "cart"


def test_a_box_in_its_way_is_pushed(twin: Episode) -> None:
    crate, cart = twin.pose("crate"), twin.pose("cart")
    assert np.linalg.norm(crate[-1, :2] - crate[0, :2]) > 0.3
    near = np.array([relative_to(a, b)[:2] for a, b in zip(cart, crate, strict=True)])
    inside = np.abs(near).max(axis=1)
    # The cart is 0.4 m wide, the crate at least 0.2 m; only the jump puts them into each other.
    before = twin.seconds < JUMP_S
    assert inside[before].min() > 0.3 - 2.0 * MM


def test_what_it_carries_goes_along(twin: Episode) -> None:
    """Also over the correction, at which the parcel stays where it is on the cart."""
    rows = zip(twin.pose("cart"), twin.pose("parcel"), strict=True)
    places = np.array([relative_to(cart, parcel)[:3] for cart, parcel in rows])
    assert np.abs(places - places[0])[:, :2].max() < 0.02
    jump = int(np.searchsorted(twin.seconds, JUMP_S))
    assert np.abs(places[jump] - places[jump - 1]).max() < MM


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ({"odometry": "/odm"}, ("cart.yaml", "line 14, robot.base.odometry", "perhaps '/odom'")),
        (
            {"odometry": "/odom", "start": "/pose"},
            ("cart.yaml", "line 15, robot.base.start", "no topic /pose"),
        ),
    ],
)
def test_a_topic_that_is_absent_is_named_with_its_line(
    tmp_path: Path, base: dict[str, str], words: tuple[str, ...]
) -> None:
    with pytest.raises(BadInput) as error:
        twin_run(scenario(tmp_path, **base), tmp_path / "run")
    for word in words:
        assert word in str(error.value)


ROLLER = """<robot name='roller'>
  <link name='base_link'>
    <inertial><mass value='3'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>
  </link>
  {wheels}
</robot>"""
WHEEL = """<link name='{side}'>
    <inertial><mass value='.1'/><inertia ixx='.001' iyy='.001' izz='.001' ixy='0' ixz='0' iyz='0'/></inertial>
    <collision><geometry><sphere radius='0.042'/></geometry></collision></link>
  <joint name='{side}_wheel' type='continuous'><parent link='base_link'/><child link='{side}'/>
    <origin xyz='0 {y} 0'/><axis xyz='0 1 0'/></joint>"""


@needs("two_wheel_robot")
def test_a_real_robot_is_where_motion_capture_saw_it(tmp_path: Path) -> None:
    """Its poses are in the world, so that they say as well where it starts."""
    folder = data_folder() / "two_wheel_robot" / "square_a_01_mcap"
    wheels = [WHEEL.format(side="left", y=0.1), WHEEL.format(side="right", y=-0.1)]
    (tmp_path / "roller.urdf").write_text(ROLLER.format(wheels="\n".join(wheels)))
    content = {
        "scenario": "roller",
        "robot": {
            "urdf": "roller.urdf",
            "pose": [0, 0, 0.042, 1, 0, 0, 0],
            "base": {"odometry": "/truth", "start": "/truth"},
        },
        "rate": 400,
        "source": str(folder),
        "models": {"physics": {"type": "main_physics", "main": True, "engine": "mujoco"}},
        "log": {"state_rate": 20},
    }
    (tmp_path / "roller.yaml").write_text(yaml.safe_dump(content))
    twin = twin_run(tmp_path / "roller.yaml", tmp_path / "run", duration=20.0)
    seconds, rows = Recording.read(folder).series("/truth", _planar)
    poses = twin.pose("roller")
    wanted = np.array([np.interp(twin.seconds, seconds, row) for row in rows.T]).T
    away = np.linalg.norm(poses[:, :2] - wanted[:, :2], axis=1)
    print(f"two wheels: at most {1e3 * away.max():.3f} mm off")
    assert away.max() < MM
    assert times_of(twin, "base_corrected") == []


def _planar(message: object) -> tuple[float, float]:
    position = message.pose.position  # type: ignore[attr-defined]
    return position.x, position.y
