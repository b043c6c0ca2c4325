"""Starts Gazebo with a world, the bridge of its topics to ROS, and a twin in that world.

ros2 launch hetwin gazebo.launch.py world:=/path/to/hall.sdf scenario:=/path/to/twin.yaml robot:=arm

The scenario's main model says `engine: gz` and `options: {server: NAME_OF_THE_WORLD}`. Without `scenario` no twin is
started. Needs ros_gz_sim and ros_gz_bridge.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from string import Template
from xml.etree import ElementTree as ET

import yaml
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
    SetEnvironmentVariable,
)
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from hetwin_core.ensemble.resources import resource
from launch import LaunchContext, LaunchDescription

TRUTHS = {"true": True, "false": False}


class BadWorld(Exception):
    """The world's file cannot be used; the text says why."""


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the bridge follows from the world's name."""
    passed_on = ("source", "out", "duration")
    return LaunchDescription(
        [
            DeclareLaunchArgument("world", description="SDFormat file of the world, a path"),
            DeclareLaunchArgument(
                "robot",
                default_value="",
                description="model whose joint states are bridged; it has the plugin JointStatePublisher",
            ),
            DeclareLaunchArgument(
                "gui", default_value="false", description="show Gazebo's window", choices=[*TRUTHS]
            ),
            DeclareLaunchArgument(
                "partition", default_value="hetwin", description="GZ_PARTITION of all of it"
            ),
            DeclareLaunchArgument(
                "scenario", default_value="", description="of the twin; empty: none is started"
            ),
            *(
                DeclareLaunchArgument(name, default_value=default, description="of the twin")
                for name, default in zip(passed_on, ("", "runs", "0.0"), strict=True)
            ),
            OpaqueFunction(function=_everything),
        ]
    )


def _everything(context: LaunchContext) -> list[object]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    world = Path(value("world")).resolve()
    bridged = bridge_file(world_name(world), value("robot"))
    how = "" if TRUTHS[value("gui")] else "-s "  # without -r: the world waits for the twin
    started: list[object] = [
        SetEnvironmentVariable("GZ_PARTITION", value("partition")),
        _included("ros_gz_sim", "gz_sim.launch.py", gz_args=f"{how}{world}"),
        Node(
            package="ros_gz_bridge",
            executable="parameter_bridge",
            name="gazebo_bridge",
            output="screen",
            parameters=[{"config_file": str(bridged)}],
        ),
    ]
    if value("scenario"):
        names = ("scenario", "source", "out", "duration")
        twin = {name: value(name) for name in names}
        started.append(_included("hetwin", "scenario.launch.py", **twin))
    return started


def _included(package: str, file: str, **arguments: str) -> IncludeLaunchDescription:
    path = PathJoinSubstitution([FindPackageShare(package), "launch", file])
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(path), launch_arguments=arguments.items()
    )


def world_name(file: Path) -> str:
    """The name of the world of an SDFormat file.

    Raises:
        BadWorld: if there is no such file, or no world in it.
    """
    try:
        world = ET.parse(file).find("world")
    except (OSError, ET.ParseError) as error:
        raise BadWorld(f"world: {file} cannot be read: {error}") from None
    if world is None or not world.get("name"):
        raise BadWorld(f"world: {file} has no <world> with a name")
    return str(world.get("name"))


def bridge_file(world: str, robot: str) -> Path:
    """Write the bridge's configuration for a world, and for a robot if one is named."""
    entries = yaml.safe_load(resource("launch", "gazebo_bridge.yaml").read_text("utf-8"))
    chosen = [entry for entry in entries if robot or "$robot" not in entry["gz_topic_name"]]
    text = Template(yaml.safe_dump(chosen)).substitute(world=world, robot=robot)
    file = Path(tempfile.mkdtemp(prefix="hetwin_bridge_"), "gazebo_bridge.yaml")
    file.write_text(text, "utf-8")
    return file
