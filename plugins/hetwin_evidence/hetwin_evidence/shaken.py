"""Accelerometers in a hand: jolts as evidence of an impact, and a check of the sensor's frame by gravity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import hypot, isfinite
from typing import Any

import numpy as np

from hetwin_evidence.likelihood import Voice, silent, voice
from hetwin_suite.model import (
    FEELS,
    Event,
    EventKind,
    Floats,
    Json,
    Layout,
    Snapshot,
    conjugate,
    rotate,
)

JOLT, IMPACT = "jolt", "impact"
"""Source of the events, and the claim and quantity that they are evidence for."""
_BLOCK_NS = 200_000_000
"""Duration of the blocks in which rest of the sensor is detected."""
_QUIET, _NEWS = 0.5, 2.0
"""Maximum variation of the acceleration at rest, and minimum change of a jolt for a new event [m/s^2]."""
_TURN_DEG, _MISMATCH_DEG = 5.0, 20.0
"""Minimum change of the direction of gravity for a new event, and maximum error of a correct sensor frame [deg]."""
_KEPT = 200


class ImuReader:
    """Reads accelerations: an event for a jolt, for its end, and for a changed direction of gravity.

    A jolt is the difference between the norms of the acceleration and of that at rest. It does not depend on the
    sensor's orientation, and hardly on a bias.

    Args:
        topic: topic of the sensor.
    """

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._block: list[tuple[float, float, float]] = []
        self._begin_ns = 0
        self._rest: float | None = None
        self._largest = self._reported = 0.0
        self._up = np.zeros(3)
        self._bad = False

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return new events; none if the message declares that it has no acceleration (REP-145)."""
        if message.linear_acceleration_covariance[0] == -1.0:
            return []
        vector = message.linear_acceleration
        felt = float(vector.x), float(vector.y), float(vector.z)
        frame = str(message.header.frame_id)
        if not isfinite(sum(felt)):
            values: dict[str, Json] = {"reason": "the acceleration is not a number"}
            bad, self._bad = self._bad, True
            return [] if bad else [self._event(frame, time_ns, values)]
        self._bad = False
        if not self._block:
            self._begin_ns = time_ns
        self._block.append(felt)
        jolt = 0.0 if self._rest is None else abs(hypot(*felt) - self._rest)
        self._largest = max(self._largest, jolt)
        rises, calms, up = jolt >= self._reported + _NEWS, False, None
        over = time_ns - self._begin_ns >= _BLOCK_NS
        if over:
            up, calms = self._settle(), self._largest <= self._reported - _NEWS
        events = []
        if rises or calms or up is not None:
            self._reported = self._largest
            values = {"quantity": self._reported, "unit": "m/s2"}
            events.append(
                self._event(frame, time_ns, values if up is None else values | {"up": up})
            )
        if over:
            self._largest = 0.0
        return events

    def _settle(self) -> Json:
        """End a block; returns the up direction in the sensor's frame if the sensor rests and it has changed."""
        felt = np.array(self._block)
        self._block.clear()
        sizes = np.linalg.norm(felt, axis=1)
        quiet = np.ptp(sizes) < _QUIET
        if quiet or self._rest is None:
            self._rest = float(np.median(sizes))
        mean = felt.mean(axis=0)
        length = float(np.linalg.norm(mean))
        if not quiet or not length or mean @ self._up >= length * np.cos(np.radians(_TURN_DEG)):
            return None
        self._up = mean / length
        return list(map(float, self._up))

    def _event(self, frame: str, time_ns: int, values: dict[str, Json]) -> Event:
        common: dict[str, Json] = {
            "source": JOLT,
            "claim": IMPACT,
            "frame": frame,
            "phase": "instant",
        }
        return Event(FEELS, time_ns, EventKind.ACTION, self._topic, arguments={**common, **values})


class Jolts:
    """Stores the jolts of the accelerometers of one hand.

    Args:
        layout: layout of the scene.
        link: link of the hand; sensors report in its frame, or in that of a finger or a link that is fixed to it.
    """

    def __init__(self, layout: Layout, link: str) -> None:
        self._links = {entity.name for entity in layout.entities if layout.has(entity.name, "pose")}
        self._own = _of_hand(layout, link)
        self._jolts: dict[str, list[tuple[int, float]]] = {}
        self._bad: dict[str, str] = {}
        self._turned: dict[str, str] = {}

    def note(self, events: Sequence[Event], scene: Snapshot) -> None:
        """Store the sensors' events."""
        for event in events:
            arguments = event.arguments
            if event.name == FEELS and arguments.get("source") == JOLT:
                self._note(str(arguments.get("frame", "")), event, scene)

    def _note(self, frame: str, event: Event, scene: Snapshot) -> None:
        arguments = event.arguments
        if frame not in self._links:
            self._bad[frame] = (
                f"the accelerometer's frame {frame or '(none)'} is no link of the robot"
            )
        if frame not in self._own:
            return
        quantity, up = arguments.get("quantity"), arguments.get("up")
        if not isinstance(quantity, int | float):
            self._bad[frame] = str(arguments.get("reason"))
            return
        self._bad.pop(frame, None)
        kept = self._jolts.setdefault(frame, [])
        kept.append((event.time_ns, float(quantity)))
        del kept[:-_KEPT]
        if isinstance(up, list):
            self._check(frame, np.array(up, np.float64), scene)

    def _check(self, frame: str, up: Floats, scene: Snapshot) -> None:
        """Compare the up direction (3,) of a resting sensor with that of its frame in the scene."""
        w, x, y, z = scene.pose(frame)[3:7]
        there = np.array(rotate(conjugate((w, x, y, z)), (0.0, 0.0, 1.0)))
        off = float(np.degrees(np.arccos(np.clip(up @ there, -1.0, 1.0))))
        self._turned.pop(frame, None)
        if off > _MISMATCH_DEG:
            self._turned[frame] = (
                f"gravity is {off:.0f} deg from where the frame {frame} has it: the sensor is mounted otherwise"
            )

    def voices(self, from_ns: int, to_ns: int) -> list[Voice]:
        """Return the evidence of an impact in a time interval; empty if the hand has no accelerometer."""
        unusable = self._bad | self._turned
        usable = [
            _largest(kept, from_ns, to_ns)
            for frame, kept in self._jolts.items()
            if frame not in unusable
        ]
        if (
            usable
        ):  # an impact shakes all sensors of a hand; the median ignores a knock at one finger
            return [voice(IMPACT, float(np.median(usable)), to_ns / 1e9)]
        if unusable:
            return [silent(IMPACT, "; ".join(sorted(set(unusable.values()))))]
        return []


def _largest(kept: Sequence[tuple[int, float]], from_ns: int, to_ns: int) -> float:
    """Return the largest jolt in a time interval: of those that started in it, else the one that lasted into it."""
    within = [jolt for time_ns, jolt in kept if from_ns < time_ns <= to_ns]
    return (
        max(within) if within else next((jolt for t, jolt in reversed(kept) if t <= from_ns), 0.0)
    )


def _of_hand(layout: Layout, link: str) -> set[str]:
    """Return the links that move with a hand and its fingers."""
    entities = {entity.name: entity for entity in layout.entities}
    root = link
    while entities[root].parent and not entities[root].joint:
        root = entities[root].parent

    def carried(name: str) -> Iterator[str]:
        while name:
            yield name
            name = entities[name].parent if name in entities else ""

    return {name for name in entities if root in carried(name)}


def imu_reader(topic: str) -> Callable[[Any, int], list[Event]]:
    """Return a reader of an IMU's accelerations."""
    return ImuReader(topic)
