"""The ROS 2 interface of the link: receives joint states, sends pieces, and offers the service that stops the robot."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from hetwin.srv import StopSimulation
from hetwin_commanding.consistency.live_robot import HeardJoints
from hetwin_commanding.link.base import BaseHeard
from hetwin_commanding.link.pieces import Piece
from hetwin_suite.episode import JOINT_STATES
from hetwin_suite.robot import PlanarPose
from hetwin_suite.wire import ODOMETRY_TOPIC

NODE = "hetwin_commander"
STOP_ROBOT = "hetwin/stop_robot"
"""Service that stops the motion, of type hetwin/srv/StopSimulation."""
_LOCALIZATION = "amcl_pose"
_JOIN_S = 2.0
_SECOND = 1_000_000_000


class RosLink:
    """A node in a robot's namespace, spun in a thread of its own.

    Args:
        namespace: namespace of the robot; empty for none.
        controllers: names of the commanded controllers.
        stop: event that the service sets.
        base: topic for velocities of the base; None: it is not moved.
        place: origin of the robot's odometry in the world.

    Attributes:
        heard: received states of the joints.
        base: received states of the base.
    """

    def __init__(
        self,
        namespace: str,
        controllers: Iterable[str],
        stop: threading.Event,
        base: str | None,
        place: PlanarPose,
    ) -> None:
        self._owns_ros = not rclpy.ok()
        if self._owns_ros:
            rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        prefix = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
        self._node = Node(NODE, namespace=prefix, start_parameter_services=False)
        self.heard = HeardJoints()
        self._stop = stop
        self._over = False
        self._lock = threading.Lock()
        self._open = True
        sensor = QoSProfile(depth=100, reliability=QoSReliabilityPolicy.BEST_EFFORT)
        states = self._node.create_subscription(JointState, JOINT_STATES.name, self._hear, sensor)
        self.states_topic = str(states.topic_name)
        self._publishers = {
            name: self._node.create_publisher(
                JointTrajectory, f"{name}/joint_trajectory", QoSProfile(depth=10)
            )
            for name in controllers
        }
        self.base = BaseHeard(place)
        self._velocities = None
        if base is not None:
            self._velocities = self._node.create_publisher(Twist, base, QoSProfile(depth=10))
            self._node.create_subscription(Odometry, ODOMETRY_TOPIC.name, self._hear_base, sensor)
            self._node.create_subscription(
                PoseWithCovarianceStamped, _LOCALIZATION, self._hear_place, QoSProfile(depth=10)
            )
        self._node.create_service(StopSimulation, STOP_ROBOT, self._on_stop)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._run, name=NODE, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def unheard(self) -> list[str]:
        """Return the topics of controllers without a subscriber."""
        return [p.topic_name for p in self._publishers.values() if not p.get_subscription_count()]

    def send(self, pieces: Iterable[Piece]) -> None:
        """Send pieces to their controllers, which start on arrival; does nothing after `end`."""
        messages = [(self._publishers[piece.controller], _message(piece)) for piece in pieces]
        with self._lock:
            if self._open:
                for publisher, message in messages:
                    publisher.publish(message)

    def drive(self, forward: float, turn: float) -> None:
        """Send a velocity of the base [m/s, rad/s]; does nothing after `end`."""
        message = Twist()
        message.linear.x, message.angular.z = forward, turn
        with self._lock:
            if self._open and self._velocities is not None:
                self._velocities.publish(message)

    def end(self) -> None:
        """Block all further sending."""
        with self._lock:
            self._open = False

    def close(self) -> None:
        """Stop the thread and destroy the node."""
        self.end()
        self._over = True
        with suppress(Exception):  # the process may be shutting down
            self._executor.wake()
        self._thread.join(_JOIN_S)
        with suppress(Exception):
            self._executor.remove_node(self._node)
            self._node.destroy_node()
        if self._owns_ros:
            rclpy.try_shutdown()

    def _run(self) -> None:
        while not self._over and rclpy.ok():
            try:
                self._executor.spin_once(0.05)
            except (ExternalShutdownException, RuntimeError):
                return

    def _hear(self, message: Any) -> None:
        stamp = message.header.stamp
        self.heard.add(
            message.name, message.position, stamp.sec + stamp.nanosec / _SECOND, time.monotonic()
        )

    def _hear_base(self, message: Any) -> None:
        self.base.add_odometry(_planar(message.pose.pose), time.monotonic())

    def _hear_place(self, message: Any) -> None:
        self.base.add_localization(_planar(message.pose.pose))

    def _on_stop(self, _request: Any, response: Any) -> Any:
        self._stop.set()
        response.accepted, response.reason = True, "the robot stops"
        return response


def _planar(pose: Any) -> PlanarPose:
    at, q = pose.position, pose.orientation
    return PlanarPose.of((at.x, at.y, at.z, q.w, q.x, q.y, q.z))


def _message(piece: Piece) -> Any:
    message = JointTrajectory(joint_names=list(piece.joints))  # a stamp of 0 starts at once
    for time_s, positions, velocities in zip(
        piece.times.tolist(), piece.positions.tolist(), piece.velocities.tolist(), strict=True
    ):
        point = JointTrajectoryPoint(positions=positions, velocities=velocities)
        seconds, nanoseconds = divmod(round(time_s * _SECOND), _SECOND)
        point.time_from_start.sec, point.time_from_start.nanosec = seconds, nanoseconds
        message.points.append(point)
    return message
