"""Listens to a robot and to what it is commanded, on behalf of nobody."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

_WINDOW_S = 0.1
"""Speeds are measured over this time, so that noise does not count."""
_STILL = 0.02
"""Slower than this is standing [rad/s or m/s]."""
_LIMIT_S = 60.0


@dataclass
class Seen:
    """What was seen between two calls.

    Attributes:
        commands: messages to the controller.
        moved_until: by the monotonic clock [s].
        last: position of each joint [rad or m].
        fastest: largest speed of each joint [rad/s or m/s].
    """

    commands: int = 0
    moved_until: float = 0.0
    last: dict[str, float] = field(default_factory=dict)
    fastest: dict[str, float] = field(default_factory=dict)


class Observer:
    """A node that spins in a thread of its own.

    Args:
        joints: those of interest.
        controller: whose commands are counted.
    """

    def __init__(self, joints: Sequence[str], controller: str) -> None:
        rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        self._node = Node("observer")
        self._lock = threading.Lock()
        self._joints = list(joints)
        self._seen = Seen()
        self._past: list[tuple[float, float, dict[str, float]]] = []
        self._heard = 0.0
        self._last: dict[str, float] = {}
        self._node.create_subscription(
            JointState, "joint_states", self._hear, QoSProfile(depth=100)
        )
        self._node.create_subscription(
            JointTrajectory, f"{controller}/joint_trajectory", self._command, QoSProfile(depth=100)
        )
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._over = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = True
        self._thread.join(2.0)
        self._node.destroy_node()
        rclpy.try_shutdown()

    def joints(self) -> dict[str, float]:
        """Return where the joints of interest are [rad or m]."""
        with self._lock:
            return {name: self._last[name] for name in self._joints}

    def wait(self) -> None:
        """Wait until the robot is heard, for a second."""
        begun = end = time.monotonic()
        while self._heard < begun + 1.0:
            end = time.monotonic()
            if end - begun > _LIMIT_S:
                raise TimeoutError("the robot is not heard")
            time.sleep(0.05)

    def wait_for_command(self, limit: float) -> None:
        """Wait until something is sent to the robot."""
        end = time.monotonic() + limit
        while not self._seen.commands:
            if time.monotonic() > end:
                raise TimeoutError("nothing is sent")
            time.sleep(0.01)

    def begin(self) -> None:
        """Forget what was seen."""
        with self._lock:
            self._seen = Seen()
            self._past = []

    def end(self) -> Seen:
        """Return what was seen since `begin`."""
        with self._lock:
            return self._seen

    def _run(self) -> None:
        while not self._over:
            self._executor.spin_once(0.05)

    def _command(self, _message: Any) -> None:
        with self._lock:
            self._seen.commands += 1

    def _hear(self, message: Any) -> None:
        now = self._heard = time.monotonic()
        stamp = message.header.stamp.sec + message.header.stamp.nanosec * 1e-9
        positions = dict(zip(message.name, message.position, strict=True))
        with self._lock:
            seen = self._seen
            self._last = seen.last = positions
            self._past.append((now, stamp, positions))
            while self._past[0][1] < stamp - _WINDOW_S:
                self._past.pop(0)
            _, before, then = self._past[0]
            if stamp - before < 0.8 * _WINDOW_S:
                return
            for name in self._joints:
                speed = abs(positions[name] - then[name]) / (stamp - before)
                seen.fastest[name] = max(speed, seen.fastest.get(name, 0.0))
                if speed > _STILL:
                    seen.moved_until = now - _WINDOW_S
