"""Wrenches of wrists, found in a recording by type and decoded only when they are read."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import WRENCHES, Table, no_rows
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, ReadFault
from model_nodes.main_physics.sources.joint_messages import (
    LITTLE_ENDIAN,
    ORIGIN,
    STAMP,
    DecodeError,
    align,
    read_string,
)

WRENCH = "geometry_msgs/msg/WrenchStamped"
_WINDOW_NS = 500_000_000
"""Period of time in a table of samples [ns]; a model that reads rarely still gets all of them."""
_NUMBERS = 6
_MAX_LIVE_SAMPLES = 2048
"""Maximum number of samples per frame that are kept of a live robot."""
_MAX_UNREAD = 4 * _MAX_LIVE_SAMPLES
"""Maximum number of messages of a live robot that are kept until a model reads them."""


class Wrenches:
    """The wrenches of a recording.

    Args:
        bag: the recording.
        topics: topics with wrenches.

    Attributes:
        offset_ns: offset from times of the recording to times of the run [ns].
    """

    def __init__(self, bag: Bag, topics: Sequence[str]) -> None:
        self._bag, self._topics = bag, tuple(topics)
        self.offset_ns = 0

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames in the messages."""
        return tuple(sorted(self._read))

    def notes(self, links: Collection[str]) -> list[str]:
        """Return notes about topics whose first message is not in the frame of one of the robot's links."""
        notes = []
        for topic in self._topics:
            first = next(iter(self._bag.messages((topic,))), None)
            try:
                frame = decode(first[2])[1] if isinstance(first, tuple) else ""
            except (DecodeError, ValueError) as error:
                notes.append(f"wrenches on {topic} cannot be used: {error}")
                continue
            if links and frame not in links:
                found = f"frame {frame}" if frame else "no frame"
                notes.append(
                    f"wrenches on {topic} are not used: they name {found}, expected a link of the robot,"
                    f" {one_of(frame, tuple(links))}"
                )
        return notes

    @cached_property
    def _read(self) -> Mapping[str, tuple[Floats, Floats]]:
        """Frame -> (n,) times [ns], not decreasing, and (n, 6) forces [N] and torques [Nm].

        Raises:
            RunFailed: if a message is not a wrench, or the recording cannot be read to its end.
        """
        read: dict[str, tuple[list[int], list[Floats]]] = {}
        for number, message in enumerate(self._bag.messages(self._topics)):
            if isinstance(message, ReadFault):
                raise RunFailed("recording", "read", message.time_ns, message.reason)
            topic, log_ns, raw = message
            try:
                stamp_ns, frame, numbers = decode(raw)
            except (DecodeError, ValueError) as error:
                reason = f"{self._bag.path}: {topic}, wrench {number + 1} cannot be used: {error}"
                raise RunFailed("recording", "read", log_ns, reason) from None
            stamped = stamp_ns - self._bag.start_ns
            uses_stamp = abs(stamped - log_ns) <= self._bag.tolerance_ns
            times, samples = read.setdefault(frame, ([], []))
            times.append(max(0, stamped) if uses_stamp else log_ns)
            samples.append(numbers)
        return {frame: _sorted(times, samples) for frame, (times, samples) in read.items()}

    def until(self, time_ns: int, frame: str) -> tuple[Floats, Floats]:
        """Return the latest samples up to a time of the run [ns]: (n,) their times, and (n, 6) forces and torques."""
        times, samples = self._read[frame]
        now_ns = time_ns - self.offset_ns
        first, end = np.searchsorted(times, (now_ns - _WINDOW_NS, now_ns), side="right")
        return times[first:end] + self.offset_ns, samples[first:end]


def decode(raw: bytes) -> tuple[int, str, Floats]:
    """Return stamp [ns], frame, and force [N] and torque [Nm] of a message.

    Raises:
        DecodeError: if the bytes are not such a message.
    """
    if raw[:2] != LITTLE_ENDIAN or len(raw) < ORIGIN + STAMP.size + 4:
        raise DecodeError(f"{len(raw)} bytes are not a {WRENCH}")
    seconds, nanoseconds = STAMP.unpack_from(raw, ORIGIN)
    frame, end = read_string(raw, ORIGIN + STAMP.size)
    begin = align(end, 8)
    if len(raw) < begin + 8 * _NUMBERS:
        raise DecodeError(f"{len(raw)} bytes are too few for a {WRENCH}")
    return (
        seconds * 1_000_000_000 + nanoseconds,
        frame,
        np.frombuffer(raw, np.float64, _NUMBERS, begin),
    )


def wrench_numbers(stamped: Any) -> list[float]:
    """Return force and torque of a geometry_msgs/msg/WrenchStamped [N, Nm]."""
    parts = stamped.wrench.force, stamped.wrench.torque
    return [float(getattr(part, axis)) for part in parts for axis in "xyz"]


def wrenches_of(bag: Bag, others: Collection[str] = ()) -> Wrenches | None:
    """Return the wrenches of a recording; None if it has none.

    Args:
        bag: the recording.
        others: namespaces of other robots.
    """
    topics = [
        name
        for name, topic in bag.topics.items()
        if bag.types(name) == [WRENCH]
        and topic.messages
        and not any(name.startswith(f"/{other}/") for other in others)
    ]
    return Wrenches(bag, topics) if topics else None


def _sorted(times: list[int], samples: list[Floats]) -> tuple[Floats, Floats]:
    stamps = np.array(times, np.float64)
    order = np.argsort(stamps, kind="stable")
    return stamps[order], np.array(samples)[order]


class LiveWrenches:
    """The latest wrenches of a live robot, decoded when they are read.

    Args:
        time_of: converts a stamp and the arrival of its message to a time of the run [ns].
        unusable: called with the reason for each message that cannot be decoded.
    """

    def __init__(
        self, time_of: Callable[[int, int], int], unusable: Callable[[str], object]
    ) -> None:
        self._time_of, self._unusable = time_of, unusable
        self._arrived: deque[tuple[bytes, int]] = deque(maxlen=_MAX_UNREAD)
        self._samples: dict[str, deque[tuple[int, Floats]]] = {}

    def add(self, raw: bytes, arrived_ns: int) -> None:
        """Add a serialized geometry_msgs/msg/WrenchStamped."""
        self._arrived.append((raw, arrived_ns))

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames in the messages."""
        while self._arrived:
            raw, arrived_ns = self._arrived.popleft()
            try:
                stamp_ns, frame, numbers = decode(raw)
            except (DecodeError, ValueError) as error:
                self._unusable(f"wrench: {error}")
                continue
            samples = self._samples.setdefault(frame, deque(maxlen=_MAX_LIVE_SAMPLES))
            samples.append((self._time_of(stamp_ns, arrived_ns), numbers))
        return tuple(sorted(self._samples))

    def until(self, time_ns: int, frame: str) -> tuple[Floats, Floats]:
        """Return the latest samples up to a time of the run [ns]; see `Wrenches.until`."""
        recent = [
            sample for sample in self._samples[frame] if -_WINDOW_NS < sample[0] - time_ns <= 0
        ]
        times = np.array([time for time, _ in recent], np.float64)
        return times, np.array([numbers for _, numbers in recent]).reshape(-1, _NUMBERS)


class RobotWrenches(NamedTuple):
    """Wrenches of a robot's wrists: name of the robot (empty: a single robot), and start of its recording [ns]."""

    robot: str
    begin_ns: int
    wrenches: Wrenches | LiveWrenches


def wrench_table(robots: Sequence[RobotWrenches], layout: Layout, time_ns: int) -> Table:
    """Return the table of the latest wrenches at a time, see `Snapshot.wrenches`; computed when it is read."""
    return Table(lambda: _rows(robots, layout, time_ns), time_ns=time_ns)


def _rows(robots: Sequence[RobotWrenches], layout: Layout, time_ns: int) -> Floats:
    rows = [no_rows(WRENCHES)]
    for robot, begin_ns, wrenches in robots:
        for frame in wrenches.frames:
            times, numbers = wrenches.until(time_ns - begin_ns, frame)
            sensor = _index(layout, f"{robot}::{frame}" if robot else frame)
            sensors = np.full(len(times), sensor, np.float64)
            rows.append(np.column_stack((times + begin_ns, sensors, numbers)))
    return np.concatenate(rows)


def _index(layout: Layout, name: str) -> int:
    try:
        return layout.entity_id(name)
    except KeyError:
        return -1
