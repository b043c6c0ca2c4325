"""What is heard of a robot that runs beside its twin: its joints, by when that arrived here."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hetwin_suite.episode import JOINT_STATES
from hetwin_suite.wire import OK, WARN, JointMessageDecoder, RobotLink, Undecodable

_KEPT = 1000
_OFFSETS = 200
_LATEST = 0.5
"""A message that seems to have been under way for longer has a stamp that means nothing [s]."""


class Sample(NamedTuple):
    """A message about joints.

    Attributes:
        measured: when it was measured, by the monotonic clock, from the spacing of the robot's stamps [s].
        positions: by joint [rad or m].
    """

    measured: float
    positions: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class JointAge:
    """A joint's last position [rad or m], and how long ago it arrived [s]."""

    position: float
    age: float


class HeardJoints:
    """Joint states as they arrive; one thread adds, others read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, tuple[float, float]] = {}
        self._waiting: deque[Sample] = deque(maxlen=_KEPT)
        self._delays: deque[float] = deque(maxlen=_OFFSETS)

    def add(
        self, names: Sequence[str], positions: Sequence[float], stamp: float, arrived: float
    ) -> None:
        """Add a message; positions that are not finite are left out.

        Args:
            names: names of the joints.
            positions: positions of the joints [rad or m].
            stamp: by the robot's clock [s].
            arrived: by this machine's monotonic clock [s].
        """
        known = {
            name: float(position)
            for name, position in zip(names, positions, strict=False)
            if np.isfinite(position)
        }
        with self._lock:
            # Of the stamps only the spacing counts: the message that came through quickest says what they are now.
            self._delays.append(arrived - stamp)
            measured = stamp + min(self._delays)
            if not arrived - _LATEST <= measured <= arrived:  # its stamps do not go on with time
                self._delays.clear()
                measured = arrived
            self._waiting.append(Sample(measured, known))
            self._last.update((name, (position, arrived)) for name, position in known.items())

    def take(self) -> list[Sample]:
        """Return the messages since the last call."""
        with self._lock:
            samples = list(self._waiting)
            self._waiting.clear()
            return samples

    def joints(self, now: float) -> dict[str, JointAge]:
        """Return the last position of each joint that was ever heard of, by the monotonic clock's present time [s]."""
        with self._lock:
            return {name: JointAge(at, now - when) for name, (at, when) in self._last.items()}

    def silence(self, joints: Iterable[str], now: float) -> float:
        """Return for how long the least recently heard of these joints has been silent [s]; `now` as in `joints`."""
        with self._lock:
            return max(now - self._last.get(name, (0.0, -np.inf))[1] for name in joints)


STATUS = "hetwin: robot beside its twin"
"""Name of the diagnostic."""
NODE = "consistency_listener"


class LiveRobot:
    """Collects joint states in a namespace until it is closed.

    Args:
        namespace: namespace of the robot.

    Attributes:
        heard: what it has said.
    """

    def __init__(self, namespace: str) -> None:
        self.heard = HeardJoints()
        self._decoder = JointMessageDecoder()
        self._undecoded = 0
        self._link = RobotLink(
            namespace, (JOINT_STATES.name,), self._hear, {}, {}, self._report, STATUS, NODE
        )

    def close(self) -> None:
        """Stop listening."""
        self._link.close()

    def _hear(self, raw: Any, _arrived_ns: int) -> None:
        try:
            sample = self._decoder.decode(raw)
        except Undecodable:
            self._undecoded += 1
            return
        positions = np.frombuffer(sample.positions).tolist()
        self.heard.add(sample.names, positions, sample.stamp_ns / 1e9, time.monotonic())

    def _report(self) -> tuple[bytes, str, Mapping[str, str]]:
        values = {"messages that could not be read": str(self._undecoded)}
        if self._undecoded:
            return WARN, "joint states cannot be read", values
        return OK, "hears the robot", values
