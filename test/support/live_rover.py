"""A mobile robot of tests, and a source that follows it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from hetwin_core.ensemble.scenario.robot import FollowedBase
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.live.part import LivePart
from support.live_robot import PERIOD, SECOND, TEN_MS
from support.mobile_recordings import Planar, cart, drive


class Rover:
    """Publishes the drive of `mobile_recordings` as odometry and transforms, from 1 s after it came to be."""

    def __init__(self, *, reliable: bool = True) -> None:
        self.node = Node("rover")
        reliability = (
            QoSReliabilityPolicy.RELIABLE if reliable else QoSReliabilityPolicy.BEST_EFFORT
        )
        plain = QoSProfile(depth=1000, reliability=reliability)
        kept = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self._joints = self.node.create_publisher(JointState, "joint_states", plain)
        self._odometry = self.node.create_publisher(Odometry, "odom", plain)
        self._poses = self.node.create_publisher(PoseWithCovarianceStamped, "amcl_pose", kept)
        self._tf = self.node.create_publisher(TFMessage, "/tf", plain)
        self.time_ns = time.time_ns() // SECOND * SECOND
        self.start_ns = self.time_ns + SECOND

    @property
    def place(self) -> Planar:
        """Where its odometry has it now."""
        return self.place_at(self.time_ns)

    def place_at(self, time_ns: int) -> Planar:
        return drive((time_ns - self.start_ns) / 1e9)

    def tell(self, seconds: float) -> None:
        """Joint states, odometry and transforms of so many seconds, at 100 Hz, far faster than that."""
        for number in range(round(seconds * 100)):
            if number % 10 == 9:
                time.sleep(0.005)
            self.time_ns += TEN_MS
            lift = JointState(name=["lift_joint"], position=[0.1])
            self._stamp(lift)
            self._joints.publish(lift)
            self._odometry.publish(self._odometry_now())
            self._tf.publish(TFMessage(transforms=[self._transform_now()]))

    def jump(self, metres: float) -> None:
        """Odometry is elsewhere from one message to the next."""
        self.time_ns += TEN_MS
        message = self._odometry_now()
        message.pose.pose.position.x += metres
        self._odometry.publish(message)

    def localize(self, place: Planar) -> None:
        message = PoseWithCovarianceStamped()
        self._stamp(message, "map")
        _put(message.pose.pose.position, message.pose.pose.orientation, place)
        self._poses.publish(message)

    def _odometry_now(self) -> Odometry:
        message = Odometry(child_frame_id="base_link")
        self._stamp(message, "odom")
        _put(message.pose.pose.position, message.pose.pose.orientation, self.place)
        return message

    def _transform_now(self) -> TransformStamped:
        message = TransformStamped(child_frame_id="base_link")
        self._stamp(message, "odom")
        _put(message.transform.translation, message.transform.rotation, self.place)
        return message

    def _stamp(self, message: Any, frame: str = "") -> None:
        message.header.frame_id = frame
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(self.time_ns, SECOND)


def _put(position: Any, orientation: Any, place: Planar) -> None:
    position.x, position.y, yaw = place
    orientation.w, orientation.z = math.cos(yaw / 2.0), math.sin(yaw / 2.0)


@contextmanager
def base_followed(rover: Rover, folder: Path, base: Any, **spec: Any) -> Iterator[LivePart]:
    """A source that follows the base of a rover that stands ready; the run begins after 1 s."""
    done = threading.Event()

    def stand() -> None:
        while not done.is_set():
            rover.start_ns = rover.time_ns + SECOND  # it does not drive yet
            rover.tell(0.02)
            time.sleep(0.02)

    standing = threading.Thread(target=stand)
    standing.start()
    body = cart(folder)
    try:
        (source,) = open_source({"live": "", "wait": 30.0, **spec}, robots=[body]).parts
        assert isinstance(source, LivePart)
        source.bind_base(body, FollowedBase.model_validate(base), PERIOD)
    finally:
        done.set()
        standing.join()
    try:
        assert source.bind(["lift_joint"], PERIOD).tolist() == [True]
        source.base(0)
        assert source.start()
        yield source
    finally:
        source.close()
