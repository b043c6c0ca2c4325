"""What a mobile stand-in publishes beside its joints: odometry, localization, frames and scans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import LaserScan

from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import SCAN_TOPIC, TRANSFORMS
from hetwin_suite.proving_ground.obeying.localization import Localization

try:
    from tf2_msgs.msg import TFMessage
except ImportError:  # a workspace without it gets no frames
    TFMessage = None

SECOND = 1_000_000_000
MAP, ODOM = "map", "odom"


class BaseTopics:
    """Publishers of a base.

    Args:
        node: in the robot's namespace.
        root: name of the root link.
        odometry: topic of its odometry.
        localization: topic of its localization.
    """

    def __init__(self, node: Node, root: str, odometry: str, localization: str) -> None:
        self._root = root
        self._odometry = node.create_publisher(Odometry, odometry, QoSProfile(depth=50))
        latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
        self._pose = node.create_publisher(PoseWithCovarianceStamped, localization, latched)
        self._frames = None
        if TFMessage is not None:
            self._frames = node.create_publisher(TFMessage, TRANSFORMS.name, QoSProfile(depth=100))

    @property
    def names(self) -> list[str]:
        """Full names of the topics."""
        publishers = (self._odometry, self._pose, self._frames)
        return [publisher.topic_name for publisher in publishers if publisher is not None]

    def publish_odometry(self, stamp_ns: int, state: Floats, localization: Localization) -> None:
        """Publish odometry (13,), and the frames from the map to the root link."""
        message = Odometry(child_frame_id=self._root)
        _stamp(message.header, stamp_ns, ODOM)
        _fill_pose(message.pose.pose, state[:7].tolist())
        linear, angular = message.twist.twist.linear, message.twist.twist.angular
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z = state[7:].tolist()
        self._odometry.publish(message)
        if self._frames is not None:
            frames = [
                _transform(stamp_ns, MAP, ODOM, localization.correction),
                _transform(stamp_ns, ODOM, self._root, state[:7].tolist()),
            ]
            self._frames.publish(TFMessage(transforms=frames))

    def publish_place(self, stamp_ns: int, localization: Localization) -> None:
        """Publish where localization believes that it is."""
        message = PoseWithCovarianceStamped()
        _stamp(message.header, stamp_ns, MAP)
        _fill_pose(message.pose.pose, localization.pose)
        message.pose.covariance = localization.covariance
        self._pose.publish(message)


class ScanTopic:
    """The publisher of a laser scanner.

    Args:
        node: in the robot's namespace.
        pattern: of its beams.
        link: that it is on.
        only: whether the robot has no other scanner.
    """

    def __init__(self, node: Node, pattern: ScanPattern, link: str, only: bool) -> None:
        name = SCAN_TOPIC.name if only else f"{pattern.name}/{SCAN_TOPIC.name}"
        self._pattern, self._frame = pattern, pattern.frame_on(link)
        self._publisher = node.create_publisher(LaserScan, name, qos_profile_sensor_data)

    @property
    def name(self) -> str:
        """Full name of the topic."""
        return str(self._publisher.topic_name)

    def publish(self, stamp_ns: int, scan: Floats) -> None:
        """Publish a scan (beams,) [m]."""
        pattern = self._pattern
        message = LaserScan(
            angle_min=pattern.first,
            angle_max=pattern.last,
            angle_increment=pattern.increment,
            scan_time=1.0 / pattern.rate,
            range_min=pattern.nearest,
            range_max=pattern.reach,
            ranges=pattern.as_published(scan).tolist(),
        )
        _stamp(message.header, stamp_ns, self._frame)
        self._publisher.publish(message)


def _stamp(header: Any, stamp_ns: int, frame: str) -> None:
    header.frame_id = frame
    header.stamp.sec, header.stamp.nanosec = divmod(stamp_ns, SECOND)


def _fill_pose(pose: Any, numbers: Sequence[float]) -> None:
    at, turn = pose.position, pose.orientation
    at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z = numbers


def _transform(stamp_ns: int, parent: str, child: str, numbers: Sequence[float]) -> Any:
    message = TransformStamped(child_frame_id=child)
    _stamp(message.header, stamp_ns, parent)
    at, turn = message.transform.translation, message.transform.rotation
    at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z = numbers
    return message
