"""What grippers, arms, inputs and outputs say of their state becomes events where it changes, without being named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from support.action_messages import pins, robotiq, tool
from support.recorded_bags import EPOCH_NS, MS, TYPES, Recorded, header, sine, write_bag

from hetwin_core.ensemble.events import Event, is_announced_action
from model_nodes.main_physics.sources.action_types import ROBOTIQ, UR_IO
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.plan import Plan

ALL_NS = 2_000 * MS


def opened(folder: Path, *said: Recorded, **options: Any) -> Plan:
    made = sorted([*sine(), *said], key=lambda one: one.time_ns)
    return open_source(write_bag(folder / "bag", made, **options))


def events(folder: Path, *said: Recorded, **options: Any) -> list[Event]:
    """The events of a recording with these messages."""
    return opened(folder, *said, **options).events(ALL_NS)


def defined(
    folder: Path, topic: str, type_name: str, text: str, *said: tuple[int, dict[str, Any]]
) -> Plan:
    """A recording with a topic whose type only it defines: times [ns] and fields of its messages."""
    store = get_typestore(Stores.LATEST)
    store.register(get_types_from_msg(text, type_name))
    with Writer(folder / "own", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        own = writer.add_connection(topic, type_name, typestore=store)
        for time_ns, fields in said:
            raw = bytes(store.serialize_cdr(store.types[type_name](**fields), type_name))
            writer.write(own, EPOCH_NS + time_ns, raw)
        states = writer.add_connection("/joint_states", JOINT_STATE, typestore=TYPES)
        for one in sine():
            raw = bytes(TYPES.serialize_cdr(one.message, one.type))
            writer.write(states, EPOCH_NS + one.time_ns, raw)
    return open_source(folder / "own")


def times(found: list[Event]) -> list[tuple[str, int]]:
    assert not any(map(is_announced_action, found))
    return [(one.name, one.time_ns // MS) for one in found]


@pytest.mark.parametrize("undefined", [(), (ROBOTIQ,)])
def test_a_robotiq_gripper_says_what_it_found(tmp_path: Path, undefined: tuple[str, ...]) -> None:
    found = events(
        tmp_path,
        robotiq(200 * MS, 3, 5, ready=False),
        robotiq(300 * MS, 0, 100),
        robotiq(400 * MS, 2, 120),
        robotiq(500 * MS, 2, 121),
        robotiq(600 * MS, 3, 228),
        robotiq(700 * MS, 0, 200),
        undefined=undefined,
    )
    assert times(found) == [("gripper_says", at) for at in (400, 600, 700)]
    stalled, closed, opens = (event.arguments for event in found)
    assert (stalled["gripper"], stalled["stalled"]) == ("/gripper/status", True)
    assert stalled["current"] == pytest.approx(0.12)
    assert (closed["stalled"], closed["reached_goal"]) == (False, True)
    assert closed["closing"] == pytest.approx(228 / 255)
    assert (opens["stalled"], opens["reached_goal"]) == (False, False)


def test_a_gripper_that_knows_its_width(tmp_path: Path) -> None:
    text = "float64 width\nfloat64 max_width\nbool is_grasped\n"
    widths = [(200, 0.08, False), (400, 0.031, True), (500, 0.031, True), (900, 0.06, False)]
    said = [
        (at * MS, {"width": width, "max_width": 0.08, "is_grasped": grasped})
        for at, width, grasped in widths
    ]
    source = defined(tmp_path, "/franka_gripper/state", "franka_msgs/msg/GripperState", text, *said)
    found = source.events(ALL_NS)
    assert times(found) == [("gripper_says", 400), ("gripper_says", 900)]
    assert (found[0].arguments["grasped"], found[0].arguments["position"]) == (True, 0.031)


def test_a_state_of_that_name_with_other_fields_is_said_and_refuses_nothing(tmp_path: Path) -> None:
    said = (200 * MS, {"opening": 0.3})
    source = defined(tmp_path, "/hand", "acme_msgs/msg/GripperState", "float64 opening\n", said)
    assert source.events(ALL_NS) == []
    (note,) = (one for one in source.notes if "not read" in one)
    assert "/hand (acme_msgs/msg/GripperState)" in note


FORCES = {200: 4.0, 300: -12.0, 400: 20.0, 500: 25.0, 600: 2.0, 700: 11.0}
"""Along z [N], by time [ms]."""


@pytest.mark.parametrize("is_stamped", [False, True])
def test_an_arm_says_what_it_feels(tmp_path: Path, is_stamped: bool) -> None:
    """Where the force passes 10 N and when it has doubled; anew once it was gone."""
    types = get_typestore(Stores.LATEST).types
    vector, wrench = (types[f"geometry_msgs/msg/{name}"] for name in ("Vector3", "Wrench"))
    said = []
    for at, force in FORCES.items():
        numbers = np.array([0.0, 0.0, force, 0.0, 1.5, 0.0])
        held = wrench(force=vector(*numbers[:3]), torque=vector(*numbers[3:]))
        stamped = types["geometry_msgs/msg/WrenchStamped"](header=header(at * MS), wrench=held)
        name = "o_f_ext_hat_k" if is_stamped else "O_F_ext_hat_K"
        said.append((at * MS, {name: stamped if is_stamped else numbers}))
    if is_stamped:
        type_name, text = "FrankaRobotState", "geometry_msgs/WrenchStamped o_f_ext_hat_k\n"
    else:
        type_name, text = "FrankaState", "float64[6] O_F_ext_hat_K\n"
    found = defined(tmp_path, "/state", f"franka_msgs/msg/{type_name}", text, *said).events(ALL_NS)
    assert times(found) == [("force_says", at) for at in (300, 500, 700)]
    assert (found[0].arguments["force"], found[0].arguments["torque"]) == (12.0, 1.5)


@pytest.mark.parametrize("undefined", [(), (UR_IO,)])
def test_pins_that_change(tmp_path: Path, undefined: tuple[str, ...]) -> None:
    found = events(
        tmp_path,
        pins(200 * MS, digital_in=(False, True), digital_out=(False,)),
        pins(300 * MS, digital_in=(False, True), digital_out=(True,)),
        pins(500 * MS, digital_in=(True, False), digital_out=(True,)),
        undefined=undefined,
    )
    assert times(found) == [("io_says", at) for at in (300, 500, 500)]
    said = [(event.arguments["io"], event.arguments["state"]) for event in found]
    assert said == [("digital_out 0", True), ("digital_in 0", True), ("digital_in 1", False)]


def test_a_tool_that_gets_its_voltage(tmp_path: Path) -> None:
    found = events(
        tmp_path, tool(200 * MS, 0, 0.1), tool(300 * MS, 0, 0.2), tool(500 * MS, 24, 0.6)
    )
    assert times(found) == [("io_says", 500)]
    assert (found[0].arguments["io"], found[0].arguments["state"]) == ("tool_output_voltage", 24)
