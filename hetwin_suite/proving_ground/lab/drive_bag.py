"""Writes what a lab robot did as a rosbag2: its wheels as joint states, and where it really was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import JOINT_STATES
from hetwin_suite.proving_ground.recording import header

if TYPE_CHECKING:
    from rosbags.typesys.store import Msg

TRUTH = "/truth"
_POSE_TYPE = "geometry_msgs/msg/PoseStamped"


def write_drive_bag(folder: Path, rows: Floats, wheels: tuple[str, str]) -> None:
    """Write rows (n, 6) of t [s], left, right [rad], x, y [m], yaw [rad].

    Args:
        folder: the bag; must not exist.
        rows: the angles have the stamps that they have in the log, not those at which they were true.
        wheels: names of the joints of the left and of the right wheel.
    """
    store = get_typestore(Stores.ROS2_JAZZY)
    with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        joints = writer.add_connection(JOINT_STATES.logged_name, JOINT_STATES.type, typestore=store)
        truth = writer.add_connection(TRUTH, _POSE_TYPE, typestore=store)
        for time, left, right, x, y, yaw in rows.tolist():
            at_ns = round(time * 1e9)
            turned = _joint_state(store, time, wheels, (left, right))
            writer.write(joints, at_ns, store.serialize_cdr(turned, JOINT_STATES.type))
            writer.write(
                truth, at_ns, store.serialize_cdr(_pose(store, time, x, y, yaw), _POSE_TYPE)
            )


def _joint_state(
    store: Typestore, time: float, names: tuple[str, str], angles: tuple[float, float]
) -> Msg:
    none = np.zeros(0)
    return store.types[JOINT_STATES.type](
        header=header(store, 0, time),
        name=list(names),
        position=np.array(angles),
        velocity=none,
        effort=none,
    )


def _pose(store: Typestore, time: float, x: float, y: float, yaw: float) -> Msg:
    types = store.types
    point, turn = types["geometry_msgs/msg/Point"], types["geometry_msgs/msg/Quaternion"]
    pose = types["geometry_msgs/msg/Pose"](
        position=point(x=x, y=y, z=0.0),
        orientation=turn(x=0.0, y=0.0, z=float(np.sin(yaw / 2)), w=float(np.cos(yaw / 2))),
    )
    return types[_POSE_TYPE](header=header(store, 0, time), pose=pose)
