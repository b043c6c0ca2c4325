"""A test for `launch_test`: the demo under ros2 launch runs to its end, and its topics show it.

launch_test test/launch/demo.launch.test.py
"""

from __future__ import annotations

import time
import unittest
from pathlib import Path
from typing import Any

import launch_testing.actions
import launch_testing.asserts
import rclpy
from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
from rclpy.qos import QoSDurabilityPolicy, QoSProfile

from hetwin.msg import Registry, SceneState
from launch import LaunchDescription

TIMEOUT_S = 120.0


def generate_test_description() -> LaunchDescription:
    """The demo's first seconds."""
    launch_file = Path(get_package_share_directory("hetwin"), "launch", "scenario.launch.py")
    demo = IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(launch_file)),
        launch_arguments={"scenario": "pick_and_place", "duration": "3.0"}.items(),
    )
    return LaunchDescription([demo, launch_testing.actions.ReadyToTest()])


class WhileItRuns(unittest.TestCase):
    """What can be heard."""

    def test_registry_and_states_are_published(self, proc_output: Any) -> None:
        """The registry names all models, and simulated time goes on."""
        rclpy.init()
        node = rclpy.create_node("listener")
        registries: list[Registry] = []
        states: list[SceneState] = []
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        node.create_subscription(Registry, "hetwin/registry", registries.append, latched)
        node.create_subscription(SceneState, "hetwin/state", states.append, 10)
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end and not (registries and len(states) > 10):
            rclpy.spin_once(node, timeout_sec=0.1)
        node.destroy_node()
        rclpy.shutdown()
        assert registries, f"no registry within {TIMEOUT_S:g} s"
        assert len(states) > 10, f"only {len(states)} states within {TIMEOUT_S:g} s"
        names = [model.name for model in registries[0].models]
        assert names == ["physics", "grasp", "holding", "handling", "robot_health"]
        assert states[-1].step > states[0].step
        # The launch ends with the conductor; the test must be over by then.
        proc_output.assertWaitFor("ended: recording", timeout=TIMEOUT_S, stream="stderr")


@launch_testing.post_shutdown_test()
class AfterTheEnd(unittest.TestCase):
    """How it ended."""

    def test_all_ended_well(self, proc_info: Any) -> None:
        """No process failed."""
        launch_testing.asserts.assertExitCodes(proc_info)
