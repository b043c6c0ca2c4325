"""Starts the conductor and one node per model of a scenario, and asks for the simulation.

ros2 launch hetwin scenario.launch.py scenario:=pick_and_place source:=/path/to/recording
"""

from __future__ import annotations

from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
)
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import LifecycleNode

from hetwin_suite.ensemble.scenario.scenario import find_scenario, load_scenario
from launch import LaunchContext, LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Declare the arguments; the nodes follow from the scenario."""
    return LaunchDescription(
        [
            DeclareLaunchArgument(
                "scenario",
                default_value="pick_and_place",
                description="scenario file, or name of one of hetwin's",
            ),
            DeclareLaunchArgument(
                "source", default_value="", description="recording (rosbag2); empty: the scenario's"
            ),
            DeclareLaunchArgument(
                "out", default_value="runs", description="folder in which runs are logged"
            ),
            DeclareLaunchArgument("namespace", default_value="", description="of all nodes"),
            OpaqueFunction(function=_nodes),
        ]
    )


def _nodes(context: LaunchContext) -> list[object]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    scenario = load_scenario(find_scenario(value("scenario")))
    namespace = value("namespace")
    conductor = LifecycleNode(
        package="hetwin",
        executable="conductor",
        name="conductor",
        namespace=namespace,
        output="screen",
        parameters=[
            {
                "scenario": str(scenario.path),
                "source": value("source"),
                "out": value("out"),
                "runs": 1,
                "start_at_once": True,
            }
        ],
    )
    models = [
        LifecycleNode(
            package="hetwin",
            executable="model",
            name=plan.name,
            namespace=namespace,
            output="screen",
            parameters=[{"type": plan.type, "stepping": plan.stepping.value}],
        )
        for plan in scenario.models
    ]
    over = RegisterEventHandler(
        OnProcessExit(
            target_action=conductor,
            on_exit=[LogInfo(msg="the simulation is over"), EmitEvent(event=Shutdown())],
        )
    )
    return [conductor, *models, over]
