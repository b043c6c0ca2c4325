"""Recordings of a mobile robot: odometry, poses of a localization, and transforms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from transforms3d.euler import euler2quat

from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.world.description import Base, Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf
from support.recorded_bags import MS, TYPES, Recorded, header, plain

Planar: TypeAlias = tuple[float, float, float]
"""x y [m] and yaw [rad]."""

ODOMETRY = "nav_msgs/msg/Odometry"
POSE = "geometry_msgs/msg/PoseStamped"
WITH_COVARIANCE = "geometry_msgs/msg/PoseWithCovarianceStamped"
TRANSFORM = "geometry_msgs/msg/TransformStamped"
TF = "tf2_msgs/msg/TFMessage"
PERIOD = 20 * MS

CART = """<robot name='cart'>
  <link name='base_link'>
    <inertial><mass value='20'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
    <collision><geometry><box size='0.4 0.4 0.2'/></geometry></collision>
  </link>
  <link name='lidar'/>
  <joint name='mount' type='fixed'><parent link='base_link'/><child link='lidar'/>
    <origin xyz='0.3 0 0.4' rpy='0 0 1.5707963267948966'/></joint>
  <link name='lift'>
    <inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>
  </link>
  <joint name='lift_joint' type='prismatic'><parent link='base_link'/><child link='lift'/>
    <axis xyz='0 0 1'/><limit lower='0' upper='1' velocity='1' effort='100'/></joint>
</robot>"""
"""A box that drives, with a lidar fixed to it and a lift."""


def cart(folder: Path, pose: Sequence[float] = (0, 0, 0, 1, 0, 0, 0)) -> Body:
    """The cart at a pose, with a base that follows."""
    file = folder / "cart.urdf"
    file.write_text(CART)
    x, y, z, w, i, j, k = map(float, pose)
    body = read_urdf(file, Notes(), pose=(x, y, z, w, i, j, k))
    return replace(body, robot=True, base=Base.FOLLOWED, static=False)


def drive(seconds: float) -> Planar:
    """Straight on for 1 s, a curve for 2 s, a turn on the spot for 2 s, then it stands; ramps in between."""
    times, poses = _driven()
    x, y, yaw = (float(np.interp(seconds, times, column)) for column in poses)
    return x, y, yaw


@cache
def _driven() -> tuple[Floats, Floats]:
    """(n,) times [s] and (3, n) where it is."""
    t = np.linspace(0.0, 6.0, 6001)
    forward = 0.5 * _bump(t, 0.0, 3.0)
    yaw = _added_up(t, 0.8 * _bump(t, 1.0, 5.0))
    x, y = (_added_up(t, forward * part) for part in (np.cos(yaw), np.sin(yaw)))
    return t, np.stack((x, y, yaw))


def _added_up(t: Floats, rates: Floats) -> Floats:
    steps = (rates[1:] + rates[:-1]) / 2.0 * np.diff(t)
    return np.concatenate(([0.0], np.cumsum(steps)))


def _bump(t: Floats, begin: float, end: float) -> Floats:
    """1 between two times, with ramps of 0.3 s within them."""
    return np.asarray(np.clip(np.minimum(t - begin, end - t) / 0.3, 0.0, 1.0))


def matrix(x: float, y: float, yaw: float, z: float = 0.0) -> Floats:
    """(4, 4) a pose in the plane."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1]])


def planar(m: Floats) -> Planar:
    """The place and heading x y yaw of a pose."""
    return float(m[0, 3]), float(m[1, 3]), float(np.arctan2(m[1, 0], m[0, 0]))


def posed(
    type_name: str,
    time_ns: int,
    pose: Sequence[float],
    *,
    topic: str = "/odom",
    child: str = "base_link",
    frame: str = "odom",
    stamp_ns: int | None = None,
) -> Recorded:
    """A message of one of the types with a pose x y yaw, or x y z roll pitch yaw."""
    stamp = header(time_ns if stamp_ns is None else stamp_ns, frame)
    place, quaternion = _parts(pose)
    if type_name == TRANSFORM:
        return Recorded(topic, type_name, time_ns, _transform(stamp, child, pose))
    inner = TYPES.types["geometry_msgs/msg/Pose"](position=place, orientation=quaternion)
    if type_name == POSE:
        return Recorded(topic, POSE, time_ns, TYPES.types[POSE](header=stamp, pose=inner))
    covered = TYPES.types["geometry_msgs/msg/PoseWithCovariance"](
        pose=inner, covariance=np.zeros(36)
    )
    if type_name == WITH_COVARIANCE:
        message = TYPES.types[WITH_COVARIANCE](header=stamp, pose=covered)
        return Recorded(topic, WITH_COVARIANCE, time_ns, message)
    vector = TYPES.types["geometry_msgs/msg/Vector3"]
    twist = TYPES.types["geometry_msgs/msg/TwistWithCovariance"](
        twist=TYPES.types["geometry_msgs/msg/Twist"](
            linear=vector(0, 0, 0), angular=vector(0, 0, 0)
        ),
        covariance=np.zeros(36),
    )
    message = TYPES.types[ODOMETRY](header=stamp, child_frame_id=child, pose=covered, twist=twist)
    return Recorded(topic, ODOMETRY, time_ns, message)


def odometry(end_s: float = 6.0, **keywords: Any) -> Iterator[Recorded]:
    """The drive, as odometry at 50 Hz."""
    for time_ns in range(0, round(end_s * 1e9) + 1, PERIOD):
        yield posed(ODOMETRY, time_ns, drive(time_ns / 1e9), **keywords)


def amcl(time_ns: int, pose: Sequence[float], **keywords: Any) -> Recorded:
    """A pose of a localization in the map."""
    return posed(WITH_COVARIANCE, time_ns, pose, topic="/amcl_pose", frame="map", **keywords)


def tf(
    time_ns: int,
    transforms: Sequence[tuple[str, str, Sequence[float]]],
    topic: str = "/tf",
    stamp_ns: int | None = None,
) -> Recorded:
    """Transforms (parent, child, pose)."""
    stamp = time_ns if stamp_ns is None else stamp_ns
    made = [_transform(header(stamp, parent), child, pose) for parent, child, pose in transforms]
    return plain(time_ns, topic, TF, transforms=made)


def _parts(pose: Sequence[float]) -> tuple[Any, Any]:
    x, y, z, roll, pitch, yaw = pose if len(pose) == 6 else (*pose[:2], 0.0, 0.0, 0.0, pose[2])
    w, i, j, k = euler2quat(roll, pitch, yaw)
    quaternion = TYPES.types["geometry_msgs/msg/Quaternion"](i, j, k, w)
    return TYPES.types["geometry_msgs/msg/Point"](x, y, z), quaternion


def _transform(stamp: Any, child: str, pose: Sequence[float]) -> Any:
    place, quaternion = _parts(pose)
    inner = TYPES.types["geometry_msgs/msg/Transform"](
        translation=TYPES.types["geometry_msgs/msg/Vector3"](place.x, place.y, place.z),
        rotation=quaternion,
    )
    return TYPES.types[TRANSFORM](header=stamp, child_frame_id=child, transform=inner)


def bound(bag: Path, robot: Body, base: Any, period_ns: int = PERIOD) -> Plan:
    """A recording that moves a robot's base."""
    source = open_source(bag, robots=[robot])
    try:
        source.bind_base(robot, FollowedBase.model_validate(base), period_ns)
    except BaseException:
        source.close()
        raise
    return source


def follows(source: Plan, expected: Callable[[float], Sequence[float]], end_s: float = 6.0) -> None:
    """The base is where expected (x y yaw by time), within 0.1 mm and 1e-4 rad."""
    for time_ns in range(0, round(end_s * 1e9) + 1, PERIOD):
        state = source.base(time_ns).state
        x, y, yaw = expected(time_ns / 1e9)
        np.testing.assert_allclose(state[:2], (x, y), atol=1e-4)
        away = 2.0 * np.arctan2(state[6], state[3]) - yaw
        assert abs(np.arctan2(np.sin(away), np.cos(away))) < 1e-4
