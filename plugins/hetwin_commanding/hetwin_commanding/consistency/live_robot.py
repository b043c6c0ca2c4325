"""Receives the joint states of a robot that runs beside its twin."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hetwin_suite.episode import JOINT_STATES
from hetwin_suite.wire import OK, WARN, DecodeError, JointMessageDecoder, RobotLink

_KEPT = 1000
_OFFSETS = 200
_LATEST = 0.5
"""Maximum delay of a message; a stamp that implies a longer one is meaningless [s]."""


class Sample(NamedTuple):
    """A message with joint states.

    Attributes:
        measured: time of the measurement on the monotonic clock, from the spacing of the robot's stamps [s].
        positions: joint -> position [rad or m].
    """

    measured: float
    positions: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class JointAge:
    """The last position of a joint [rad or m], and the time since its arrival [s]."""

    position: float
    age: float


class HeardJoints:
    """Received joint states; one thread adds, others read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, tuple[float, float]] = {}
        self._waiting: deque[Sample] = deque(maxlen=_KEPT)
        self._delays: deque[float] = deque(maxlen=_OFFSETS)

    def add(
        self, names: Sequence[str], positions: Sequence[float], stamp: float, arrived: float
    ) -> None:
        """Add a message; positions that are not finite are dropped.

        Args:
            names: names of the joints.
            positions: positions of the joints [rad or m].
            stamp: stamp on the robot's clock [s].
            arrived: arrival on this machine's monotonic clock [s].
        """
        known = {
            name: float(position)
            for name, position in zip(names, positions, strict=False)
            if np.isfinite(position)
        }
        with self._lock:
            # Only the spacing of stamps is used: the message with the smallest delay fixes the clock offset.
            self._delays.append(arrived - stamp)
            measured = stamp + min(self._delays)
            if not arrived - _LATEST <= measured <= arrived:  # stamps do not follow the clock
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
        """Return joint -> last position and age; `now` is the present time of the monotonic clock [s]."""
        with self._lock:
            return {name: JointAge(at, now - when) for name, (at, when) in self._last.items()}

    def silence(self, joints: Iterable[str], now: float) -> float:
        """Return the longest time since the last message of any of these joints [s]; `now` as in `joints`."""
        with self._lock:
            return max(now - self._last.get(name, (0.0, -np.inf))[1] for name in joints)


STATUS = "hetwin: robot beside its twin"
"""Name of the diagnostic status."""
NODE = "consistency_listener"


class LiveRobot:
    """Receives joint states in a namespace until it is closed.

    Args:
        namespace: namespace of the robot.

    Attributes:
        heard: received joint states.
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
        except DecodeError:
            self._undecoded += 1
            return
        positions = np.frombuffer(sample.positions).tolist()
        self.heard.add(sample.names, positions, sample.stamp_ns / 1e9, time.monotonic())

    def _report(self) -> tuple[bytes, str, Mapping[str, str]]:
        values = {"messages that could not be read": str(self._undecoded)}
        if self._undecoded:
            return WARN, "joint states cannot be read", values
        return OK, "hears the robot", values
