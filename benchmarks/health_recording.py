"""A recording as arrays, and the same with something changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rosbags.highlevel import AnyReader

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import ANNOTATIONS, JOINT_STATES, Encoded, Topic
from hetwin_core.episodes import bag as records
from hetwin_core.episodes.messages import typestore

_RECEIVED_NS = 200_000


@dataclass(frozen=True)
class JointSeries:
    """The joint states with the same joints; m samples of n joints.

    Attributes:
        names: (n,) joints.
        times_ns: (m,) stamps.
        positions: (m, n) rad or m.
        velocities: (m, n) per second.
        efforts: (m, n) Nm or N.
        topic: on which they are published.
    """

    names: tuple[str, ...]
    times_ns: NDArray[np.int64]
    positions: Floats
    velocities: Floats
    efforts: Floats
    topic: str = JOINT_STATES.logged_name

    def with_positions(self, positions: Floats) -> JointSeries:
        """The same with other positions, and the velocities that follow from them."""
        velocities = np.gradient(positions, self.times_ns / 1e9, axis=0)
        return replace(self, positions=positions, velocities=velocities)

    def later(self) -> JointSeries:
        """The same half a period later."""
        return replace(self, times_ns=self.times_ns + int(np.median(np.diff(self.times_ns))) // 2)


@dataclass(frozen=True)
class Recording:
    """Joint states and annotations.

    Attributes:
        series: each with joints of its own, or of a second publisher.
        annotations: log times and serialized messages.
        start_ns: log time of the first message.
    """

    series: tuple[JointSeries, ...]
    annotations: tuple[tuple[int, bytes], ...]
    start_ns: int

    @property
    def joints(self) -> tuple[str, ...]:
        """All joints."""
        return tuple(name for one in self.series for name in one.names)

    def of(self, joint: str) -> tuple[JointSeries, int]:
        """The first series with a joint, and the joint's column in it."""
        one = next(series for series in self.series if joint in series.names)
        return one, one.names.index(joint)

    def seconds(self, series: JointSeries) -> Floats:
        """(m,) times of a series in the run [s]."""
        return (series.times_ns - self.start_ns) / 1e9

    def replaced(self, before: JointSeries, *after: JointSeries) -> Recording:
        """The same with other series in the place of one."""
        kept = tuple(one for one in self.series if one is not before)
        return replace(self, series=(*after, *kept))


def read_recording(folder: Path) -> Recording:
    """Read joint states and annotations."""
    store = typestore()
    groups: dict[tuple[str, ...], list[Any]] = {}
    annotations = []
    with AnyReader([folder], default_typestore=store) as reader:
        start_ns = reader.start_time
        for connection, time_ns, raw in reader.messages():
            if connection.topic == ANNOTATIONS.logged_name:
                annotations.append((time_ns, bytes(raw)))
            elif connection.topic == JOINT_STATES.logged_name:
                message: Any = store.deserialize_cdr(raw, JOINT_STATES.type)
                groups.setdefault(tuple(message.name), []).append(message)
    series = tuple(_series(names, messages) for names, messages in groups.items())
    return Recording(series, tuple(annotations), start_ns)


def write_recording(recording: Recording, folder: Path) -> Path:
    """Write a recording as a recorder would have received it; returns its folder."""
    annotations = (
        Encoded(ANNOTATIONS, time_ns, memoryview(raw)) for time_ns, raw in recording.annotations
    )
    joints = (message for one in recording.series for message in _messages(one))
    topics = [_topic(one) for one in recording.series]
    records.write_recording(folder, [*annotations, *joints], (ANNOTATIONS, *topics))
    return folder


def _series(names: tuple[str, ...], messages: list[Any]) -> JointSeries:
    stamps = [m.header.stamp.sec * 1_000_000_000 + m.header.stamp.nanosec for m in messages]
    return JointSeries(
        names,
        np.array(stamps, np.int64),
        np.array([m.position for m in messages]),
        np.array([m.velocity for m in messages]),
        np.array([m.effort for m in messages]),
    )


def _topic(series: JointSeries) -> Topic:
    return JOINT_STATES._replace(name=series.topic.removeprefix("/"))


def _messages(series: JointSeries) -> Iterator[Encoded]:
    for i, stamp_ns in enumerate(series.times_ns.tolist()):
        numbers = (series.positions[i], series.velocities[i], series.efforts[i])
        received_ns = stamp_ns + _RECEIVED_NS
        yield records.joint_state(_topic(series), received_ns, stamp_ns, series.names, *numbers)
