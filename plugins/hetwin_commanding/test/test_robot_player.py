"""A recording of ROS 1 is played on the topics of ROS 2."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from sensor_msgs.msg import JointState
from support.recorded_bags import joints, plain, sine, write_ros1_bag
from support.ros_domains import new_domain

from hetwin_commanding.played import RobotPlayer


@pytest.fixture
def ros() -> Iterator[None]:
    rclpy.init(args=[], domain_id=new_domain())
    yield
    rclpy.try_shutdown()


def test_a_bag_of_ros1_is_played(ros: None, tmp_path: Path) -> None:
    mode = plain(0, "/mode", "std_msgs/msg/Int32", data=1)
    hand = joints(0, ("finger",), (0.5,), topic="/hand")
    bag = write_ros1_bag(tmp_path / "a.bag", [mode, hand, *sine(20)])
    heard: list[JointState] = []
    listener = rclpy.create_node("listener")
    listener.create_subscription(JointState, "/joint_states", heard.append, 100)
    with RobotPlayer(bag) as player:
        assert set(player.topics) == {"/mode", "/hand", "/joint_states"}
        assert player.notes == []
        for _ in range(50):
            player.stand(0.1)
            rclpy.spin_once(listener, timeout_sec=0.1)
            if heard:
                break
    listener.destroy_node()
    assert heard
    assert heard[0].name == ["a", "b"]
    assert heard[0].position.tolist() == [0.0, 2.0]
    assert heard[0].header.stamp.sec > 1_700_000_000
