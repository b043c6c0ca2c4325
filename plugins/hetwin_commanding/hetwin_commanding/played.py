"""Plays a recording on ROS 2 topics in real time, as a substitute for a robot."""

from __future__ import annotations

import struct
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile

from hetwin.msg import ActionAnnotation
from hetwin_commanding.announcing import AnnouncedAction, announcements
from hetwin_suite.command import find_file
from hetwin_suite.model import ANNOUNCED, BadInput, RunFailed
from hetwin_suite.viewer import DIAGNOSTICS
from hetwin_suite.wire import (
    FOLLOWS,
    JOINT_STATE,
    STATUS,
    Bag,
    JointMessageDecoder,
    ReadFault,
    message_class,
)

_STAMP = struct.Struct("<iI")
_STAMP_AT = 4
"""Offset of a header's stamp in CDR, after the four-byte encapsulation header."""
_BEGINS_WITH_STAMP = ("std_msgs/Header", "builtin_interfaces/Time")
"""Types of a first field that starts with a stamp."""
_HOLD_PERIOD_S = 0.01
_FIRST_NS = 2_000_000_000
"""Joint states that are first published after this time are not part of the initial pose [ns]."""
SECOND = 1_000_000_000


def find_recording(name: Path) -> Path:
    """Find a recording by its path, by the folder of its episode, or by the name of a shipped episode.

    Raises:
        BadInput: if there is no such recording.
    """
    for candidate in (str(name), f"scenarios/episodes/{name}"):
        path = find_file(candidate)
        if path is None:
            continue
        inner = path / "recording"
        return inner if inner.is_dir() else path
    raise BadInput(
        "there is no such recording", file=name, expected="a rosbag2, or an episode's folder"
    )


@dataclass(frozen=True, slots=True)
class Gap:
    """An interval without messages: its start and its duration [s]."""

    at: float
    seconds: float

    def holds(self, time_s: float) -> bool:
        """Whether the robot is silent at this time of the recording."""
        return self.at <= time_s < self.at + self.seconds


@dataclass(slots=True)
class _Topic:
    """A topic that is played."""

    publisher: Any
    stamped: bool
    joints: bool


class RobotPlayer:
    """Publishes a recording's messages, stamped with the current time.

    Args:
        recording: path of a rosbag2.
        namespace: namespace of all topics.
        speed: speed as a multiple of real time.
        gaps: intervals without messages, in the recording's time.
        ahead_s: lead time with which each action is announced [s]; None: actions are not announced.

    Attributes:
        notes: topics that are not played, with the reasons.

    Raises:
        BadInput: if the recording cannot be read or contains no joint states.
    """

    def __init__(
        self,
        recording: Path,
        namespace: str = "",
        speed: float = 1.0,
        gaps: Sequence[Gap] = (),
        ahead_s: float | None = None,
    ) -> None:
        self._announced = [] if ahead_s is None else announcements(recording, ahead_s)
        self._bag = Bag(recording)
        self._speed = speed
        self._gaps = tuple(gaps)
        self._prefix = f"/{namespace.strip('/')}" if namespace.strip("/") else ""
        self.notes: list[str] = []
        self._owns_ros = not rclpy.ok()
        if self._owns_ros:
            rclpy.init(args=[], signal_handler_options=rclpy.SignalHandlerOptions.NO)
        self._node = Node("robot", namespace=self._prefix)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self._topics = dict(self._open_topics())
        self._decoder = JointMessageDecoder()
        self._last_joint_states = self._first_pose()
        self._twin_follows = False
        if not self._last_joint_states:
            self.__exit__(None, None, None)
            raise BadInput(
                "the recording has no joint states",
                file=recording,
                found=", ".join(str(topic) for topic in self._bag.topics.values()),
                expected=f"a topic of type {JOINT_STATE}",
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        self._bag.close()
        if self._owns_ros:
            rclpy.try_shutdown()

    @property
    def topics(self) -> list[str]:
        """Full names of the played topics."""
        return [topic.publisher.topic_name for topic in self._topics.values()]

    @property
    def duration_s(self) -> float:
        """Duration of the recording [s]."""
        return float(self._bag.duration_ns) / SECOND

    def stand(self, seconds: float) -> None:
        """Repeat the first joint states, or the last ones that were played, for a time [s]."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._hold_once()

    def stand_until_a_twin_follows(self) -> None:
        """Repeat joint states until a twin that listens in this namespace reports that it follows."""
        self._twin_follows = False
        listening = self._node.create_subscription(
            DiagnosticArray, DIAGNOSTICS.name, self._on_diagnostics, QoSProfile(depth=10)
        )
        while not self._twin_follows:
            self._hold_once()
        self._node.destroy_subscription(listening)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == STATUS:
                values = {pair.key: pair.value for pair in status.values}
                self._twin_follows = values.get(FOLLOWS) == "yes"

    def _hold_once(self) -> None:
        for (name, _), raw in self._last_joint_states.items():
            self._publish(self._topics[name], raw, time.time_ns())
        self._executor.spin_once(0.0)
        time.sleep(_HOLD_PERIOD_S)

    def play(self) -> None:
        """Play the whole recording, from the next full second on.

        A live twin starts its run at a full second of the robot's clock as well. Its steps are then at the same times
        of the recording as in a replay.

        Raises:
            RunFailed: if the recording cannot be read to its end.
        """
        begin_ns = -(-time.time_ns() // SECOND) * SECOND
        while time.time_ns() < begin_ns - _HOLD_PERIOD_S * SECOND:
            self._hold_once()
        announced = deque(self._announced)
        for message in self._bag.messages(tuple(self._topics)):
            if isinstance(message, ReadFault):
                raise RunFailed("robot", "read", message.time_ns, message.reason)
            name, logged_ns, raw = message
            while announced and announced[0].time_ns <= logged_ns:
                action = announced.popleft()
                self._announce(action, begin_ns + round(action.time_ns / self._speed))
            due_ns = begin_ns + round(logged_ns / self._speed)
            time.sleep(max(0.0, (due_ns - time.time_ns()) / SECOND))
            topic = self._topics[name]
            if topic.joints:
                self._last_joint_states[name, self._decoder.decode(raw).names] = raw
            if any(gap.holds(logged_ns / SECOND) for gap in self._gaps):
                continue
            stamp_ns = due_ns
            if topic.stamped:
                sec, nanosec = _STAMP.unpack_from(raw, _STAMP_AT)
                stamp_offset = sec * SECOND + nanosec - self._bag.start_ns - logged_ns
                stamp_ns += round(stamp_offset / self._speed) if abs(stamp_offset) < SECOND else 0
            self._publish(topic, raw, stamp_ns)

    def _announce(self, one: AnnouncedAction, due_ns: int) -> None:
        """Publish an announcement at its time, and stamp it with that time."""
        time.sleep(max(0.0, (due_ns - time.time_ns()) / SECOND))
        annotation = ActionAnnotation(
            operation=one.operation, phase=ANNOUNCED, arguments=one.arguments
        )
        annotation.header.stamp.sec, annotation.header.stamp.nanosec = divmod(due_ns, SECOND)
        self._topics[one.topic].publisher.publish(annotation)

    def _publish(self, topic: _Topic, raw: bytes, stamp_ns: int) -> None:
        if topic.stamped:
            data = bytearray(raw)
            _STAMP.pack_into(data, _STAMP_AT, *divmod(stamp_ns, SECOND))
            raw = bytes(data)
        topic.publisher.publish(raw)

    def _open_topics(self) -> Iterator[tuple[str, _Topic]]:
        for summary in self._bag.topics.values():
            kind = message_class(summary.type)
            if kind is None:
                self.notes.append(f"{summary} is not played: its package is not installed")
                continue
            fields = list(kind.get_fields_and_field_types().values())
            publisher = self._node.create_publisher(
                kind, self._prefix + summary.name, QoSProfile(depth=1000)
            )
            stamped = bool(fields) and fields[0] in _BEGINS_WITH_STAMP
            yield summary.name, _Topic(publisher, stamped, summary.type == JOINT_STATE)

    def _first_pose(self) -> dict[tuple[str, tuple[str, ...]], bytes]:
        """Return the first message of each set of joints; a robot may publish its joints in several messages."""
        names = [name for name, topic in self._topics.items() if topic.joints]
        first: dict[tuple[str, tuple[str, ...]], bytes] = {}
        for message in self._bag.messages(names):
            if isinstance(message, ReadFault) or message[1] > _FIRST_NS:
                break
            name, _, raw = message
            first.setdefault((name, self._decoder.decode(raw).names), raw)
        return first
