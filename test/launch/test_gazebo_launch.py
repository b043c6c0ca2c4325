"""The launch file that starts Gazebo, its bridge and a twin; the bridge's configuration beside a real server."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import time
from pathlib import Path
from string import Template
from types import ModuleType
from typing import Any

import pytest
import yaml
from support.gazebo_servers import gazebo_server, needs_gazebo

ROOT = Path(__file__).resolve().parents[2]
KEYS = {
    "topic_name",
    "ros_topic_name",
    "gz_topic_name",
    "ros_type_name",
    "gz_type_name",
    "direction",
    "publisher_queue",
    "subscriber_queue",
    "lazy",
    "qos_profile",
    "frame_id",
}
"""What ros_gz_bridge knows of an entry."""
CONVERTED = {
    "gz.msgs.Clock": {"rosgraph_msgs/msg/Clock"},
    "gz.msgs.Pose_V": {"tf2_msgs/msg/TFMessage", "geometry_msgs/msg/PoseArray"},
    "gz.msgs.Model": {"sensor_msgs/msg/JointState"},
}
"""Its conversions of these types of Gazebo's."""
WORLD = """<sdf version="1.9"><world name="WORLD">
<plugin filename="gz-sim-physics-system" name="gz::sim::systems::Physics"/>
<plugin filename="gz-sim-scene-broadcaster-system" name="gz::sim::systems::SceneBroadcaster"/>
<model name="arm"><link name="foot"/><link name="beam"/>
<joint name="hinge" type="revolute"><parent>foot</parent><child>beam</child><axis><xyz>0 1 0</xyz></axis></joint>
<plugin filename="gz-sim-joint-state-publisher-system" name="gz::sim::systems::JointStatePublisher"/>
</model></world></sdf>"""


def entries(world: str, robot: str) -> list[dict[str, Any]]:
    text = (ROOT / "launch" / "gazebo_bridge.yaml").read_text("utf-8")
    read: list[dict[str, Any]] = yaml.safe_load(Template(text).substitute(world=world, robot=robot))
    return read


def test_the_bridge_is_told_only_what_it_knows() -> None:
    for entry in entries("hall", "arm"):
        assert entry.keys() <= KEYS
        assert {"ros_topic_name", "gz_topic_name", "ros_type_name", "gz_type_name"} <= entry.keys()
        assert entry["direction"] == "GZ_TO_ROS"
        assert entry["ros_type_name"] in CONVERTED[entry["gz_type_name"]]


@needs_gazebo
def test_gazebo_publishes_what_is_bridged(tmp_path: Path) -> None:
    partition = f"hetwin_bridge_{os.getpid()}"
    environment = {**os.environ, "GZ_PARTITION": partition, "GZ_IP": "127.0.0.1"}

    def said(*words: str) -> str:
        told = ["gz", "topic", *words]
        return subprocess.run(
            told, env=environment, capture_output=True, text=True, timeout=30
        ).stdout

    wanted = {entry["gz_topic_name"]: entry["gz_type_name"] for entry in entries("hall", "arm")}
    with gazebo_server(tmp_path, partition, "hall", WORLD):
        deadline = time.monotonic() + 30
        while not (wanted.keys() <= set(said("-l").split())) and time.monotonic() < deadline:
            time.sleep(0.5)
        for topic, kind in wanted.items():
            assert kind in said("-i", "-t", topic), topic


def launch_file() -> ModuleType:
    found = importlib.util.find_spec("launch")
    # A folder of ours has such a name too; the real package has a file.
    if found is None or found.origin is None or importlib.util.find_spec("launch_ros") is None:
        pytest.skip("not installed: launch, launch_ros")
    path = ROOT / "launch" / "gazebo.launch.py"
    spec = importlib.util.spec_from_file_location("gazebo_launch", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bridge_gets_the_names_of_the_world_and_the_robot(tmp_path: Path) -> None:
    launched = launch_file()
    world = tmp_path / "hall.sdf"
    world.write_text(WORLD.replace("WORLD", "hall"), "utf-8")
    assert launched.world_name(world) == "hall"
    with_robot = yaml.safe_load(launched.bridge_file("hall", "arm").read_text("utf-8"))
    assert with_robot == entries("hall", "arm")
    without = yaml.safe_load(launched.bridge_file("hall", "").read_text("utf-8"))
    assert without == [e for e in entries("hall", "arm") if "joint" not in e["gz_topic_name"]]


def test_a_file_without_a_world_is_named(tmp_path: Path) -> None:
    launched = launch_file()
    with pytest.raises(launched.BadWorld, match=r"nowhere\.sdf cannot be read"):
        launched.world_name(tmp_path / "nowhere.sdf")
    file = tmp_path / "none.sdf"
    file.write_text('<sdf version="1.9"/>', "utf-8")
    with pytest.raises(launched.BadWorld, match=r"none\.sdf has no <world> with a name"):
        launched.world_name(file)


def test_gazebo_and_the_bridge_are_started_and_the_twin_if_it_is_named(tmp_path: Path) -> None:
    launched = launch_file()
    from launch_ros.actions import Node

    from launch import LaunchContext

    world = tmp_path / "hall.sdf"
    world.write_text(WORLD.replace("WORLD", "hall"), "utf-8")
    context = LaunchContext()
    for action in launched.generate_launch_description().entities[:-1]:
        if action.name == "world":
            context.launch_configurations["world"] = str(world)
        action.visit(context)
    bare = launched._everything(context)
    assert [type(action).__name__ for action in bare] == [
        "SetEnvironmentVariable",
        "IncludeLaunchDescription",
        "Node",
    ]
    (bridge,) = [action for action in bare if isinstance(action, Node)]
    assert bridge.node_package == "ros_gz_bridge"
    assert ("gz_args", f"-s {world}") in [tuple(pair) for pair in bare[1].launch_arguments]
    context.launch_configurations["scenario"] = "twin.yaml"
    with_twin = launched._everything(context)
    assert ("scenario", "twin.yaml") in [tuple(pair) for pair in with_twin[-1].launch_arguments]
