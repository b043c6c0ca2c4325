"""Accelerometers in a hand: what they feel of an impact, and whether gravity is where their frame has it."""

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
"""The source of the events, and the quantity by which they speak."""
_BLOCK_NS = 200_000_000
"""A sensor at rest is looked for in stretches of this length."""
_QUIET, _NEWS = 0.5, 2.0
"""Accelerations that vary by less are those of a sensor at rest; a jolt that differs by less is none anew [m/s^2]."""
_TURN_DEG, _MISMATCH_DEG = 5.0, 20.0
"""A direction of gravity that differs by less is the same; one that differs by more is not that of the frame."""
_KEPT = 200


class ImuReader:
    """Reads accelerations: an event for a jolt, for its end, and for gravity that points elsewhere.

    A jolt is how far the size of the acceleration is from that at rest, whatever its direction; so neither the
    orientation of the sensor nor a bias matters.

    Args:
        topic: of the sensor.
    """

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._block: list[tuple[float, float, float]] = []
        self._begin_ns = 0
        self._rest: float | None = None
        self._largest = self._said = 0.0
        self._up = np.zeros(3)
        self._bad = False

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return what is new; nothing of a sensor that says that it measures no acceleration (REP-145)."""
        if message.linear_acceleration_covariance[0] == -1.0:
            return []
        vector = message.linear_acceleration
        felt = float(vector.x), float(vector.y), float(vector.z)
        frame = str(message.header.frame_id)
        if not isfinite(sum(felt)):
            said: dict[str, Json] = {"reason": "the acceleration is not a number"}
            bad, self._bad = self._bad, True
            return [] if bad else [self._event(frame, time_ns, said)]
        self._bad = False
        if not self._block:
            self._begin_ns = time_ns
        self._block.append(felt)
        jolt = 0.0 if self._rest is None else abs(hypot(*felt) - self._rest)
        self._largest = max(self._largest, jolt)
        rises, calms, up = jolt >= self._said + _NEWS, False, None
        over = time_ns - self._begin_ns >= _BLOCK_NS
        if over:
            up, calms = self._settle(), self._largest <= self._said - _NEWS
        events = []
        if rises or calms or up is not None:
            self._said = self._largest
            said = {"quantity": self._said, "unit": "m/s2"}
            events.append(self._event(frame, time_ns, said if up is None else said | {"up": up}))
        if over:
            self._largest = 0.0
        return events

    def _settle(self) -> Json:
        """End a stretch; returns the direction upwards in the sensor's frame, if it is at rest and that is new."""
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

    def _event(self, frame: str, time_ns: int, said: dict[str, Json]) -> Event:
        told: dict[str, Json] = {
            "source": JOLT,
            "claim": IMPACT,
            "frame": frame,
            "phase": "instant",
        }
        return Event(FEELS, time_ns, EventKind.ACTION, self._topic, arguments={**told, **said})


class Shaken:
    """Follows the accelerometers of one hand.

    Args:
        layout: the scene's.
        link: of the hand; sensors are in its frame, in those of its fingers, or in those of links fixed to it.
    """

    def __init__(self, layout: Layout, link: str) -> None:
        self._links = {entity.name for entity in layout.entities if layout.has(entity.name, "pose")}
        self._own = _of_hand(layout, link)
        self._jolts: dict[str, list[tuple[int, float]]] = {}
        self._bad: dict[str, str] = {}
        self._turned: dict[str, str] = {}

    def note(self, events: Sequence[Event], scene: Snapshot) -> None:
        """Take note of what they say."""
        for event in events:
            said = event.arguments
            if event.name == FEELS and said.get("source") == JOLT:
                self._note(str(said.get("frame", "")), event, scene)

    def _note(self, frame: str, event: Event, scene: Snapshot) -> None:
        said = event.arguments
        if frame not in self._links:
            self._bad[frame] = (
                f"the accelerometer's frame {frame or '(none)'} is no link of the robot"
            )
        if frame not in self._own:
            return
        quantity, up = said.get("quantity"), said.get("up")
        if not isinstance(quantity, int | float):
            self._bad[frame] = str(said.get("reason"))
            return
        self._bad.pop(frame, None)
        kept = self._jolts.setdefault(frame, [])
        kept.append((event.time_ns, float(quantity)))
        del kept[:-_KEPT]
        if isinstance(up, list):
            self._check(frame, np.array(up, np.float64), scene)

    def _check(self, frame: str, up: Floats, scene: Snapshot) -> None:
        """Compare where a sensor at rest has up with where its frame does."""
        w, x, y, z = scene.pose(frame)[3:7]
        there = np.array(rotate(conjugate((w, x, y, z)), (0.0, 0.0, 1.0)))
        off = float(np.degrees(np.arccos(np.clip(up @ there, -1.0, 1.0))))
        self._turned.pop(frame, None)
        if off > _MISMATCH_DEG:
            self._turned[frame] = (
                f"gravity is {off:.0f} deg from where the frame {frame} has it: the sensor is mounted otherwise"
            )

    def voices(self, from_ns: int, to_ns: int) -> list[Voice]:
        """Return the evidence of an impact in a time; empty if no accelerometer is in the hand."""
        unusable = self._bad | self._turned
        usable = [
            _largest(kept, from_ns, to_ns)
            for frame, kept in self._jolts.items()
            if frame not in unusable
        ]
        if (
            usable
        ):  # several in one hand feel the same; the median of them is no knock at one finger alone
            return [voice(IMPACT, float(np.median(usable)), to_ns / 1e9)]
        if unusable:
            return [silent(IMPACT, "; ".join(sorted(set(unusable.values()))))]
        return []


def _largest(kept: Sequence[tuple[int, float]], from_ns: int, to_ns: int) -> float:
    """The largest jolt in a time: of those that began in it, or else the one that went on."""
    within = [jolt for time_ns, jolt in kept if from_ns < time_ns <= to_ns]
    return (
        max(within) if within else next((jolt for t, jolt in reversed(kept) if t <= from_ns), 0.0)
    )


def _of_hand(layout: Layout, link: str) -> set[str]:
    """The links that move with a hand and its fingers."""
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
    """Return a reader of an inertial measurement unit's accelerations."""
    return ImuReader(topic)
