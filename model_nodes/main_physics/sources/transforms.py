"""Recorded transforms between frames: /tf and /tf_static of ROS 1 and 2; and operations on many poses at once."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, Int64s, ReadFault
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.joint_messages import (
    COUNT,
    LITTLE_ENDIAN,
    ORIGIN,
    STAMP,
    DecodeError,
    align,
    read_string,
)
from model_nodes.main_physics.sources.repairs import (
    Repair,
    UsageReport,
    date_messages,
    moved_in,
)


def composed(outer: Floats, inner: Floats) -> Floats:
    """Return the products `outer` * `inner` of poses (n, 7) as transforms; either may be a single pose."""
    w, x, y, z = outer[:, 3:7].T
    a, b, c, d = inner[:, 3:7].T
    rotations = np.stack(
        (
            w * a - x * b - y * c - z * d,
            w * b + x * a + y * d - z * c,
            w * c - x * d + y * a + z * b,
            w * d + x * c - y * b + z * a,
        ),
        axis=1,
    )
    return np.concatenate((outer[:, :3] + rotated(outer, inner[:, :3]), rotations), axis=1)


def rotated(poses: Floats, vectors: Floats) -> Floats:
    """Return vectors (n, 3), rotated by the orientations of poses (n, 7); either may be a single row."""
    w, axis = poses[:, 3:4], poses[:, 4:7]
    once = crossed(axis, vectors)
    return np.asarray(vectors + 2.0 * (w * once + crossed(axis, once)))


def crossed(first: Floats, second: Floats) -> Floats:
    """(n, 3) cross products; either may be a single row. NumPy's function takes ten times as long for a few rows."""
    (a, b, c), (x, y, z) = first.T, second.T
    return np.stack((b * z - c * y, c * x - a * z, a * y - b * x), axis=1)


def inverted(poses: Floats) -> Floats:
    """Return the inverse transforms of poses (n, 7)."""
    rotations = poses[:, 3:7] * (1.0, -1.0, -1.0, -1.0)
    inverse_rotations = np.concatenate((np.zeros((len(poses), 3)), rotations), axis=1)
    return np.concatenate((-rotated(inverse_rotations, poses[:, :3]), rotations), axis=1)


TRANSFORM = "geometry_msgs/msg/TransformStamped"
_STATIC = "tf_static"
_NUMBERS = struct.Struct("<7d")


@dataclass(slots=True)
class Edge:
    """The transforms from a parent frame to a child frame over time.

    Attributes:
        parent, child: names of the frames, without a leading slash.
        topic: topic on which they were recorded.
        static: whether they were published as static.
        repairs: repairs of the recorded times.
        recorded: number of recorded transforms.
    """

    parent: str
    child: str
    topic: str
    static: bool
    repairs: list[Repair] = field(default_factory=list)
    recorded: int = 0
    _times: list[int] = field(default_factory=list)
    _logged: list[int] = field(default_factory=list)
    _poses: list[tuple[float, ...]] = field(default_factory=list)

    def add(self, time_ns: int, log_ns: int, pose: tuple[float, ...]) -> None:
        """Append a transform: run times [ns] of its stamp and of logging, and x y z qw qx qy qz."""
        self._times.append(time_ns)
        self._logged.append(log_ns)
        self._poses.append(pose)

    def date(self, bag: Bag) -> None:
        """Determine the times of recorded transforms from their stamps; static ones get the times of the log."""
        self.recorded = len(self._times)
        logged = np.array(self._logged, np.int64)
        if self.static:
            self._times = self._logged
            return
        stamps, poses = np.array(self._times, np.int64), np.array(self._poses)
        dated = date_messages(
            self.topic, stamps, logged, bag.start_ns, bag.tolerance_ns, moved_in(poses)
        )
        self.repairs = dated.repairs
        self._times = dated.times_ns[dated.kept].tolist()
        if not dated.kept.all():
            self._logged = logged[dated.kept].tolist()
            self._poses = list(compress(self._poses, dated.kept))

    def report(self, usage: UsageReport, names: Sequence[str], joints: Sequence[str] = ()) -> None:
        """Add the repairs and the number of used transforms to a report.

        Args:
            usage: the account.
            names: names of the moved links or joints.
            joints: names of the joints among them.
        """
        usage.repairs += [replace(repair, joints=tuple(joints)) for repair in self.repairs]
        usage.count(names, self.recorded, len(self._times))

    def table(self, *, when_known: bool = False) -> tuple[Int64s, Floats]:
        """Return (n,) run times [ns], increasing, and (n, 7) poses x y z qw qx qy qz; of equal times only the last.

        Args:
            when_known: use the log time if it is before the stamp; localizations stamp transforms ahead of time.
        """
        times, poses = np.array(self._times, np.int64), np.array(self._poses, np.float64)
        if when_known:
            times = np.minimum(times, np.array(self._logged, np.int64))
        order = np.argsort(times, kind="stable")
        times, poses = times[order], poses[order]
        last = np.append(np.diff(times) > 0, True)
        return times[last], poses[last]


class TransformGraph:
    """Transforms between frames.

    Attributes:
        edges: (parent, child) -> transforms.
    """

    def __init__(self) -> None:
        self.edges: dict[tuple[str, str], Edge] = {}

    @property
    def frames(self) -> set[str]:
        """Names of all frames."""
        return {name for key in self.edges for name in key}

    def moving(self) -> Iterator[Edge]:
        """Yield the edges that are not published as static."""
        return (edge for edge in self.edges.values() if not edge.static)

    def add(self, topic: str, time_ns: int, log_ns: int, transform: StampedTransform) -> None:
        """Add a transform: its topic, and the run times [ns] of its stamp and of logging."""
        parent, child = transform.parent.lstrip("/"), transform.child.lstrip("/")
        edge = self.edges.get((parent, child))
        if edge is None:
            static = topic.endswith(_STATIC)
            edge = self.edges[parent, child] = Edge(parent, child, topic, static)
        x, y, z, i, j, k, w = transform.numbers
        edge.add(time_ns, log_ns, (x, y, z, w, i, j, k))


class Transforms(TransformGraph):
    """All recorded transforms.

    Attributes:
        fault: set if they cannot be read to their end.
    """

    def __init__(self, bag: Bag) -> None:
        super().__init__()
        self.fault: ReadFault | None = None
        self._read(bag)
        for edge in self.edges.values():
            edge.date(bag)

    def _read(self, bag: Bag) -> None:
        topics = transform_topics(bag)
        for topic in topics:
            bag.check_fields(topic, TRANSFORM, ("header", "child_frame_id", "transform"))
        for number, message in enumerate(bag.messages(topics), 1):
            if isinstance(message, ReadFault):
                self.fault = message
                return
            topic, log_ns, raw = message
            try:
                for transform in decode_transforms(raw):
                    self.add(topic, transform.stamp_ns - bag.start_ns, log_ns, transform)
            except (DecodeError, struct.error, UnicodeDecodeError) as error:
                reason = f"{bag.path}: transform message {number} cannot be decoded: {error}"
                self.fault = ReadFault(log_ns, reason)
                return


class StampedTransform(NamedTuple):
    """A transform from a message: frames, stamp [ns], and x y z [m], qx qy qz qw."""

    parent: str
    child: str
    stamp_ns: int
    numbers: tuple[float, ...]


def decode_transforms(raw: bytes) -> Iterator[StampedTransform]:
    """Yield the transforms of a message (little-endian CDR).

    A general decoder takes ten times as long, which is minutes for an hour of a robot's transforms.

    Raises:
        DecodeError, struct.error, UnicodeDecodeError: if the payload is truncated or of another type.
    """
    if raw[:2] != LITTLE_ENDIAN:
        raise DecodeError(f"it begins with {raw[:4]!r}, expected little-endian CDR")
    (count,) = COUNT.unpack_from(raw, ORIGIN)
    offset = ORIGIN + COUNT.size
    for _ in range(count):
        offset = align(offset, 4)
        seconds, nanoseconds = STAMP.unpack_from(raw, offset)
        parent, offset = read_string(raw, offset + STAMP.size)
        child, offset = read_string(raw, align(offset, 4))
        offset = align(offset, 8)
        numbers = _NUMBERS.unpack_from(raw, offset)
        offset += _NUMBERS.size
        yield StampedTransform(parent, child, seconds * 1_000_000_000 + nanoseconds, numbers)


def transform_topics(bag: Bag) -> list[str]:
    """Return the topics with transforms."""
    return [t.name for t in bag.topics.values() if t.type in TRANSFORMS and t.messages]
