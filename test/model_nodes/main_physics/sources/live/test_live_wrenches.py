"""What the wrist of a live robot feels reaches the table of wrenches, whatever QoS its sensor has."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import QoSProfile, QoSReliabilityPolicy, qos_profile_sensor_data
from support.live_robot import SECOND, Robot, followed
from support.ros_domains import new_domain
from support.waiting import wait_until

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Floats
from model_nodes.main_physics.sources.live.part import LivePart
from model_nodes.main_physics.sources.wrenches import RobotWrenches, wrench_table

LAYOUT = Layout.build(
    [Entity("robot", EntityKind.ROBOT), Entity("wrist", EntityKind.LINK, owner="robot")],
    [("wrist", POSE)],
)
RELIABLE = QoSProfile(depth=1000, reliability=QoSReliabilityPolicy.RELIABLE)


@pytest.fixture
def robot() -> Iterator[Robot]:
    rclpy.init(args=[], domain_id=new_domain())
    try:
        robot = Robot()
        yield robot
        robot.node.destroy_node()
    finally:
        rclpy.try_shutdown()


def feel(publisher: Any, time_ns: int, push: float, frame: str = "wrist") -> None:
    """Send a sample of the wrist."""
    message = WrenchStamped()
    message.header.frame_id = frame
    message.header.stamp.sec, message.header.stamp.nanosec = divmod(time_ns, SECOND)
    message.wrench.force.x, message.wrench.force.z, message.wrench.torque.y = push, -push, 0.1
    publisher.publish(message)


def rows(source: LivePart, time_ns: int) -> Floats:
    """The table of wrenches as a model reads it at a time of the run."""
    assert source.wrenches is not None
    return wrench_table([RobotWrenches("", 0, source.wrenches)], LAYOUT, time_ns).rows()


@pytest.mark.parametrize(
    "qos", [qos_profile_sensor_data, RELIABLE], ids=["best effort", "reliable"]
)
def test_wrenches_of_a_live_robot_are_read_with_their_stamps(robot: Robot, qos: Any) -> None:
    publisher = robot.node.create_publisher(WrenchStamped, "ft/wrench", qos)
    with followed(robot) as source:
        wait_until(publisher.get_subscription_count, "a subscription of ft/wrench")
        robot.tell(0.3)
        begun_ns = robot.time_ns
        for number in range(20):
            feel(publisher, begun_ns + number * SECOND // 100, float(number))
            time.sleep(0.002)
        now_ns = begun_ns - source._epoch_ns + SECOND // 5
        wait_until(lambda: len(rows(source, now_ns)) == 20, "20 wrenches")
        found = rows(source, now_ns)
        earlier = rows(source, now_ns - SECOND // 10)
    stamps = begun_ns - source._epoch_ns + np.arange(20) * SECOND // 100
    assert found[:, 0] == pytest.approx(stamps, abs=1.0)
    assert set(found[:, 1]) == {LAYOUT.entity_id("wrist")}
    assert found[:, 2].tolist() == [float(number) for number in range(20)]
    assert found[:, 4].tolist() == [-float(number) for number in range(20)]
    assert set(found[:, 6]) == {0.1}
    assert len(earlier) == 11, "a model that is behind does not see what comes later"


def test_a_frame_that_the_robot_does_not_have_is_no_link_of_it(robot: Robot) -> None:
    publisher = robot.node.create_publisher(WrenchStamped, "ft/wrench", qos_profile_sensor_data)
    with followed(robot) as source:
        wait_until(publisher.get_subscription_count, "a subscription of ft/wrench")
        robot.tell(0.1)
        feel(publisher, robot.time_ns, math.nan, frame="tool9")
        now_ns = robot.time_ns - source._epoch_ns
        wait_until(lambda: len(rows(source, now_ns)) == 1, "a wrench")
        (row,) = rows(source, now_ns)
    assert row[1] == -1.0
    assert math.isnan(row[2])
