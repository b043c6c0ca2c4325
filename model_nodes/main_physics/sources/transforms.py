"""Recorded transforms between frames: /tf and /tf_static of both versions of ROS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, Int64s, ReadFault
from model_nodes.main_physics.sources.bag_types import TRANSFORMS
from model_nodes.main_physics.sources.joint_table import STAMP_TOLERANCE_NS

_STATIC = "tf_static"


@dataclass(slots=True)
class Edge:
    """Transforms of a frame in its parent's, over time.

    Attributes:
        parent, child: names of the frames, without a leading slash.
        topic: where they were recorded.
        static: whether they were published as unchanging.
    """

    parent: str
    child: str
    topic: str
    static: bool
    _times: list[int] = field(default_factory=list)
    _poses: list[tuple[float, ...]] = field(default_factory=list)

    def add(self, time_ns: int, pose: tuple[float, ...]) -> None:
        """Append a transform: run time [ns], and x y z qw qx qy qz."""
        self._times.append(time_ns)
        self._poses.append(pose)

    def table(self) -> tuple[Int64s, Floats]:
        """Return (n,) run times [ns], increasing, and (n, 7) poses x y z qw qx qy qz; of equal times the last."""
        times, poses = np.array(self._times, np.int64), np.array(self._poses, np.float64)
        order = np.argsort(times, kind="stable")
        times, poses = times[order], poses[order]
        last = np.append(np.diff(times) > 0, True)
        return times[last], poses[last]


class Transforms:
    """All recorded transforms.

    Attributes:
        edges: by parent and child.
        fault: set if they cannot be read to their end.
    """

    def __init__(self, bag: Bag) -> None:
        self.edges: dict[tuple[str, str], Edge] = {}
        self.fault: ReadFault | None = None
        self._start_ns = bag.start_ns
        topics = transform_topics(bag)
        decoders = {topic: bag.decoder(topic) for topic in topics}
        for number, message in enumerate(bag.messages(topics), 1):
            if isinstance(message, ReadFault):
                self.fault = message
                return
            topic, log_ns, raw = message
            try:
                transforms = decoders[topic](raw).transforms
            except Exception as error:
                reason = f"{bag.path}: transform message {number} cannot be decoded: {error}"
                self.fault = ReadFault(log_ns, reason)
                return
            for transform in transforms:
                self._add(topic, log_ns, transform)

    @property
    def frames(self) -> set[str]:
        """All frames."""
        return {name for key in self.edges for name in key}

    def moving(self) -> Iterator[Edge]:
        """Yield what is not published as unchanging."""
        return (edge for edge in self.edges.values() if not edge.static)

    def _add(self, topic: str, log_ns: int, transform: object) -> None:
        header, stamp = transform.header, transform.header.stamp  # type: ignore[attr-defined]
        parent = header.frame_id.lstrip("/")
        child = transform.child_frame_id.lstrip("/")  # type: ignore[attr-defined]
        edge = self.edges.get((parent, child))
        if edge is None:
            static = topic.endswith(_STATIC)
            edge = self.edges[parent, child] = Edge(parent, child, topic, static)
        moved, turned = transform.transform.translation, transform.transform.rotation  # type: ignore[attr-defined]
        stamped = stamp.sec * 1_000_000_000 + stamp.nanosec - self._start_ns
        time_ns = stamped if abs(stamped - log_ns) <= STAMP_TOLERANCE_NS else log_ns
        pose = (moved.x, moved.y, moved.z, turned.w, turned.x, turned.y, turned.z)
        edge.add(time_ns, pose)


def transform_topics(bag: Bag) -> list[str]:
    """Return the topics with transforms."""
    return [t.name for t in bag.topics.values() if t.type in TRANSFORMS and t.messages]
