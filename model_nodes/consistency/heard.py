"""What was heard of a robot: its joints, by when that arrived on this machine's monotonic clock."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

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


class Heard:
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
            names: of the joints.
            positions: of the joints [rad or m].
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
