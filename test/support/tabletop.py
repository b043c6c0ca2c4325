"""A scenario with hetwin's own world and robot, and a short recording, from which tests make bad ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from hetwin_core.ensemble.resources import resource

TYPES = get_typestore(Stores.ROS2_HUMBLE)
JOINT_STATE = "sensor_msgs/msg/JointState"
PERIOD_NS = 20_000_000
START_NS = 1_700_000_000 * 10**9
SCENARIO = """\
scenario: tabletop
world: world.sdf
robot: robot.urdf
rate: 400
source: recording
hands:
  gripper:
    link: gripper_base
    joints: [gripper_left_finger_joint, gripper_right_finger_joint]
    opened: [0.04, 0.04]
    closed: [0.0, 0.0]
models:
  physics: {type: "model_nodes.main_physics.model:MainPhysics", main: true}
"""

Positions = Callable[[int, int], float]
"""Joint's number and sample's number -> position."""


def still(joint: int, sample: int) -> float:
    """A robot that does not move."""
    return 0.0


def write_recording(
    folder: Path,
    names: Sequence[str],
    positions: Positions = still,
    *,
    count: int = 10,
    topic: str = "/joint_states",
    stamps: Callable[[int], int] = lambda sample: sample * PERIOD_NS,
    storage: StoragePlugin = StoragePlugin.MCAP,
) -> Path:
    """Record joint states; stamps are as the log times unless said otherwise."""
    kind = TYPES.types[JOINT_STATE]
    header, stamp = TYPES.types["std_msgs/msg/Header"], TYPES.types["builtin_interfaces/msg/Time"]
    with Writer(folder, version=9, storage_plugin=storage) as writer:
        connection = writer.add_connection(topic, JOINT_STATE, typestore=TYPES)
        for sample in range(count):
            now = START_NS + stamps(sample)
            numbers = np.array([positions(j, sample) for j in range(len(names))], np.float64)
            message = kind(
                header(stamp(now // 10**9, now % 10**9), ""),
                list(names),
                numbers,
                np.empty(0),
                np.empty(0),
            )
            logged = START_NS + sample * PERIOD_NS
            writer.write(connection, logged, TYPES.serialize_cdr(message, JOINT_STATE))
    return folder


JOINTS = tuple(
    line.split('"')[1]
    for line in resource("urdf", "tabletop_arm.urdf").read_text().splitlines()
    if "<joint name=" in line and 'type="fixed"' not in line
)


def tabletop(folder: Path, *, recording: bool = True) -> Path:
    """Write the scenario, its world, its robot and its recording; returns the scenario's file."""
    (folder / "world.sdf").write_text(resource("worlds", "tabletop.sdf").read_text())
    (folder / "robot.urdf").write_text(resource("urdf", "tabletop_arm.urdf").read_text())
    if recording:
        write_recording(folder / "recording", JOINTS)
    file = folder / "tabletop.yaml"
    file.write_text(SCENARIO)
    return file


def change(file: Path, old: str, new: str) -> None:
    """Change a file in one place."""
    text = file.read_text()
    assert old in text, f"{old!r} is not in {file}"
    file.write_text(text.replace(old, new, 1))
