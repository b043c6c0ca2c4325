"""A mobile stand-in: it drives as commanded, and says where it believes to be."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import LaserScan
from support.robot_files import ROOT
from support.ros_domains import new_domain
from support.waiting import wait_until
from tf2_msgs.msg import TFMessage

from hetwin_commanding.obeying.localization import Localization
from hetwin_commanding.obeying.mismatch import drawn, noise
from hetwin_commanding.obeying.running import obeying

SCENARIO = f"""\
extends: {ROOT / "scenarios" / "lab_robot.yaml"}
robot:
  urdf: urdf/lab_robot.urdf
  pose: [-1.8, -0.9, 0, 1, 0, 0, 0]
  base: BASE
  drives:
    wheels: {{joints: ["*_wheel_joint"], mode: velocity, acceleration: 15}}
  wheels: {{left: [left_wheel_joint], right: [right_wheel_joint]}}
  lidars:
    lidar: {{link: lidar, beams: 36, from: -3.14, to: 2.96, reach: 8, nearest: 0.1, rate: 10}}
"""
LATCHED = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
TOPICS: dict[str, tuple[Any, Any]] = {
    "odom": (Odometry, 100),
    "amcl_pose": (PoseWithCovarianceStamped, LATCHED),
    "scan": (LaserScan, qos_profile_sensor_data),
    "tf": (TFMessage, 100),
}


class Navigator:
    """Drives a robot, and hears what it publishes."""

    def __init__(self) -> None:
        self.node = rclpy.create_node("navigator")
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self.node)
        self.velocity = self.node.create_publisher(Twist, "cmd_vel", 10)
        self.heard: dict[str, list[Any]] = {topic: [] for topic in TOPICS}
        for topic, (kind, qos) in TOPICS.items():
            self.node.create_subscription(kind, topic, self.heard[topic].append, qos)

    def drive(self, forward: float, turn: float, until: Callable[[Odometry], bool]) -> None:
        """Drive with a velocity until odometry says that something is so."""
        message = Twist()
        message.linear.x, message.angular.z = forward, turn

        def done() -> bool:
            self.velocity.publish(message)
            for _ in range(10):
                self.executor.spin_once(0.01)
            return bool(self.heard["odom"]) and until(self.heard["odom"][-1])

        wait_until(done, "the robot's odometry")

    def xy(self, topic: str) -> Any:
        """Where the robot was by the last message."""
        at = self.heard[topic][-1].pose.pose.position
        return np.array([at.x, at.y])


@pytest.fixture
def navigator() -> Iterator[Navigator]:
    rclpy.init(args=[], domain_id=new_domain())
    made = Navigator()
    yield made
    made.node.destroy_node()
    rclpy.try_shutdown()


@pytest.mark.parametrize("base", ["free", "{odometry: odom, start: amcl_pose}"])
def test_it_drives_and_says_where_it_is(navigator: Navigator, tmp_path: Path, base: str) -> None:
    scenario = tmp_path / "lab.yaml"
    scenario.write_text(SCENARIO.replace("BASE", base))
    over = threading.Event()
    with obeying(str(scenario), seed=2) as running:
        assert running.topics == ["/joint_states", "/odom", "/amcl_pose", "/tf", "/scan"]
        thread = threading.Thread(target=running.run, args=(lambda _: None, over.is_set))
        thread.start()
        try:
            wait_until(navigator.velocity.get_subscription_count, "a robot that takes velocities")
            navigator.drive(0.3, 0.4, lambda odom: odom.pose.pose.position.x > 0.3)
            navigator.drive(0.0, 0.0, lambda odom: abs(odom.twist.twist.linear.x) < 1e-3)
            seen_since = len(navigator.heard["amcl_pose"]) + 1
            navigator.drive(0.0, 0.0, lambda _: len(navigator.heard["amcl_pose"]) > seen_since)
        finally:
            over.set()
            thread.join()
        moving = running.robot.base
        assert moving is not None
        truth, believed = moving.truth, moving.odometry
    start = np.array([-1.8, -0.9])
    way = truth[:2] - start
    assert 0.29 < np.linalg.norm(way) < 0.6
    assert np.abs(truth[7:]).max() < 0.02  # it stands again
    off = np.linalg.norm(believed[:2] - way)
    assert 1e-5 < off < 0.03  # odometry is wrong, by little
    np.testing.assert_allclose(navigator.xy("odom"), believed[:2], atol=5e-3)
    np.testing.assert_allclose(navigator.xy("amcl_pose"), truth[:2], atol=0.06)
    frames = {
        (frame.header.frame_id, frame.child_frame_id)
        for message in navigator.heard["tf"]
        for frame in message.transforms
    }
    assert frames == {("map", "odom"), ("odom", "base_link")}
    ranges = np.array(navigator.heard["scan"][-1].ranges)
    seen = ranges[np.isfinite(ranges)]
    assert len(seen) > 10
    assert ((seen > 0.05) & (seen < 8.1)).all()


def test_the_correction_leads_from_odometry_to_where_it_was_seen() -> None:
    localization = Localization(drawn(1), noise(1))
    truth, odometry = np.zeros(13), np.zeros(13)
    truth[:7], odometry[:7] = [3, 4, 0, 1, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0]
    localization.look(truth, odometry)
    np.testing.assert_allclose(localization.pose[:2], [3.0, 4.0], atol=0.05)
    # one metre in front of the origin of odometry's frame, and one beside it, it was seen there
    x, y, _, w, _, _, z = localization.correction
    yaw = 2 * np.arctan2(z, w)
    seen = [
        x + np.cos(yaw) - np.sin(yaw),
        y + np.sin(yaw) + np.cos(yaw),
    ]
    np.testing.assert_allclose(seen, localization.pose[:2], atol=1e-9)
