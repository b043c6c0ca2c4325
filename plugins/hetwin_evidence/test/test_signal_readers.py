"""Events from commands and tactile arrays of a recording."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from support.recorded_bags import EPOCH_NS, MS, TYPES, sine

from hetwin_core.ensemble.events import COMMANDED, FEELS, Event, is_announced_action
from hetwin_evidence.mating import STRAINS
from hetwin_evidence.readers import controller_reader
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.factory import open_source

STORE = get_typestore(Stores.LATEST)
ARRAY = "std_msgs/msg/Float64MultiArray"
SKIN = "std_msgs/msg/Float32MultiArray"
TRAJECTORY = "trajectory_msgs/msg/JointTrajectory"


def said(folder: Path, topic: str, type_name: str, *messages: tuple[int, object]) -> list[Event]:
    """Return the events of a recording with these messages, each at a time in ms."""
    with Writer(folder / "own", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        own = writer.add_connection(topic, type_name, typestore=STORE)
        for at, message in messages:
            raw = bytes(STORE.serialize_cdr(message, type_name))
            writer.write(own, EPOCH_NS + at * MS, raw)
        states = writer.add_connection("/joint_states", JOINT_STATE, typestore=TYPES)
        for one in sine():
            raw = bytes(TYPES.serialize_cdr(one.message, one.type))
            writer.write(states, EPOCH_NS + one.time_ns, raw)
    found = open_source(folder / "own").events(2_000 * MS)
    assert not any(map(is_announced_action, found))
    return found


def array(type_name: str, *values: float) -> object:
    layout = STORE.types["std_msgs/msg/MultiArrayLayout"](dim=[], data_offset=0)
    kind = np.float64 if type_name == ARRAY else np.float32
    return STORE.types[type_name](layout=layout, data=np.array(values, kind))


def trajectory(*ends: float) -> object:
    point = STORE.types["trajectory_msgs/msg/JointTrajectoryPoint"]
    time = STORE.types["builtin_interfaces/msg/Duration"](sec=1, nanosec=0)
    none = np.zeros(0)
    points = [
        point(
            positions=np.array([end, -end]),
            velocities=none,
            accelerations=none,
            effort=none,
            time_from_start=time,
        )
        for end in ends
    ]
    stamp = STORE.types["builtin_interfaces/msg/Time"](sec=0, nanosec=0)
    header = STORE.types["std_msgs/msg/Header"](stamp=stamp, frame_id="")
    return STORE.types[TRAJECTORY](header=header, joint_names=["l", "r"], points=points)


def test_a_trajectory_commands_its_last_point(tmp_path: Path) -> None:
    found = said(
        tmp_path,
        "/hand/joint_trajectory",
        TRAJECTORY,
        (300, trajectory(0.1, 0.4)),
        (900, trajectory()),
    )
    (one,) = found
    assert (one.name, one.time_ns) == (COMMANDED, 300 * MS)
    assert one.arguments["positions"] == {"l": 0.4, "r": -0.4}


def test_of_a_stream_of_commands_the_goals_are_said(tmp_path: Path) -> None:
    """The first position causes an event, motion does not, and the position at rest does."""
    ramp = [(100 + 50 * k, array(ARRAY, min(0.1 * k, 0.8))) for k in range(16)]
    found = said(tmp_path, "/hand_controller/commands", ARRAY, *ramp)
    assert [one.arguments["values"] for one in found] == [[0.0], [0.8]]
    assert found[1].time_ns == 550 * MS
    assert found[1].arguments["gripper"] == "/hand_controller/commands"


def test_arrays_that_are_no_commands_say_nothing(tmp_path: Path) -> None:
    assert said(tmp_path, "/temperatures", ARRAY, (100, array(ARRAY, 1.0))) == []


@pytest.mark.parametrize("bad", [(), (1.0, 2.0), (np.nan, 1.0, 2.0)])
def test_skin_says_its_third_highest_pressure(tmp_path: Path, bad: tuple[float, ...]) -> None:
    found = said(
        tmp_path,
        "/hand/tactile",
        SKIN,
        (100, array(SKIN, 0.0, 1.0, 0.0, 1.0)),
        (300, array(SKIN, *bad)),
        (400, array(SKIN, 90.0, 50.0, 40.0, 1.0)),
        (500, array(SKIN, 90.0, 50.0, 41.0, 1.0)),
    )
    (one,) = found
    assert (one.name, one.time_ns, one.arguments["quantity"]) == (FEELS, 400 * MS, 40.0)


def test_a_controller_says_how_far_its_joints_are_from_where_it_wants_them() -> None:
    def state(error: float) -> Any:
        point = SimpleNamespace(positions=np.array([error, 0.0]))
        goal = SimpleNamespace(positions=np.array([0.5, 0.7]))
        return SimpleNamespace(joint_names=["l", "r"], reference=goal, error=point)

    read = controller_reader("/arm/state")
    errors = (0.001, 0.001, 0.0025, 0.004, np.nan, 0.004)
    events = [one for k, error in enumerate(errors) for one in read(state(error), k * 20 * MS)]
    strained = [one.arguments["errors"] for one in events if one.name == STRAINS]
    assert strained == [{"l": 0.001, "r": 0.0}, {"l": 0.004, "r": 0.0}]
    assert [one.arguments["positions"] for one in events if one.name == COMMANDED] == [
        {"l": 0.5, "r": 0.7}
    ]
