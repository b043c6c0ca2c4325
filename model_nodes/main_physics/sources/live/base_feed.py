"""Brings the messages about a live robot's base from its topics to the motion of the base."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import FollowedBase
from model_nodes.main_physics.sources.base.from_transforms import FramesAbove
from model_nodes.main_physics.sources.base.pose_messages import FIELDS, decode_pose
from model_nodes.main_physics.sources.base.recorded_base import ODOMETRY_KEY, START_KEY, TF
from model_nodes.main_physics.sources.cdr import Undecodable
from model_nodes.main_physics.sources.live.arrivals import Unusable
from model_nodes.main_physics.sources.live.base import LiveBase
from model_nodes.main_physics.sources.live.base_samples import Leapt
from model_nodes.main_physics.sources.transforms import (
    StampedTransform,
    TransformGraph,
    decode_transforms,
)
from model_nodes.main_physics.world.description import Body, Pose

TF_TOPICS = ("tf", "tf_static", "/tf", "/tf_static")
"""In the robot's namespace, and the usual ones."""


class Topics(Protocol):
    """What subscribes to topics."""

    def listen(self, topic: str, callback: Callable[[bytes, str, int], None]) -> None:
        """Call with each serialized message of a topic, the name of its type and its time of arrival [ns]."""

    def seen(self) -> dict[str, list[str]]:
        """Return the types of all topics by name."""


class BaseFeed:
    """Feeds a `LiveBase` from the topics that a scenario names.

    Args:
        robot: whose base it is.
        base: the topics.
        updated: notified when something has arrived, and held meanwhile.
        date: returns when a message was measured, from its stamp and its arrival (0: there is none) [ns].
        unusable: called with the reason why a message cannot be used.
        paused: called with the time of a message and the time since the one before [ns].

    Attributes:
        base: the motion.
        problem: why the topics cannot be used at all.
        broken: why the run cannot go on.
        topic: where odometry comes from.
        newest_arrival: when odometry arrived last, by the monotonic clock [s].
    """

    def __init__(
        self,
        robot: Body,
        base: FollowedBase,
        updated: threading.Condition,
        date: Callable[[int, int], int],
        unusable: Callable[[str], None],
        paused: Callable[[int, int], None],
    ) -> None:
        self.base = LiveBase(robot, base)
        self.problem: BadInput | None = None
        self.broken = ""
        self.topic = base.odometry
        self.newest_arrival = time.monotonic()
        self._robot = robot
        self._spec = base
        self._updated = updated
        self._date = date
        self._unusable = unusable
        self._paused = paused
        self._graph = TransformGraph()
        self._odometry: tuple[tuple[str, str], Pose] | None = None
        self._map: tuple[tuple[str, str], Pose] | None = None
        self._begun = False

    def subscribe(self, topics: Topics) -> None:
        """Subscribe to what the base needs."""
        start = self._spec.start
        if self._spec.odometry != TF:
            topics.listen(self._spec.odometry, self._message(self._spec.odometry, self._on_pose))
        else:
            for topic in dict.fromkeys(TF_TOPICS):
                topics.listen(topic, self._message(topic, self._on_transforms))
        if isinstance(start, str) and start != TF:
            topics.listen(start, self._message(start, self._on_start))

    def begin_run(self) -> None:
        """Let the run begin: from now on, a jump of odometry ends it."""
        self._begun = True
        self.base.begin_run()

    def missing(self, wait: float, topics: Topics) -> BadInput:
        """Return the error that too little arrived within some seconds."""
        if self.problem is not None:
            return self.problem
        if self._spec.odometry == TF and not self.base.samples.complete:
            return FramesAbove(self._robot, self._graph).missing("the live robot")
        odometry = not self.base.samples.complete
        topic = self._spec.odometry if odometry else str(self._spec.start)
        key = ODOMETRY_KEY if odometry else START_KEY
        suitable = sorted(t for t, kinds in topics.seen().items() if set(kinds) & set(FIELDS))
        return BadInput(
            f"the robot publishes nothing on {topic} that says where its base is",
            where=key,
            found=f"no message within {wait:g} s",
            expected=one_of(topic, suitable)
            if suitable
            else f"a topic of type {' or '.join(FIELDS)}",
        )

    def _message(
        self, topic: str, use: Callable[[bytes, str, str, int], None]
    ) -> Callable[[bytes, str, int], None]:
        def on_message(raw: bytes, type_name: str, arrived_ns: int) -> None:
            with self._updated:
                try:
                    use(raw, topic, type_name, arrived_ns)
                except (Unusable, Undecodable) as error:
                    self._unusable(f"{topic}: {error}")
                except Leapt as error:
                    self._leapt(f"odometry on {topic} jumps {error}")
                except BadInput as error:
                    self.problem = error
                self._updated.notify_all()

        return on_message

    def _leapt(self, text: str) -> None:
        """A jump before the run only means that odometry begins anew."""
        if self._begun:
            self.broken = text
        else:
            self.base.samples.clear()

    def _on_pose(self, raw: bytes, topic: str, type_name: str, arrived_ns: int) -> None:
        message = self._decoded(raw, topic, type_name, ODOMETRY_KEY)
        time_ns = self._date(message.stamp_ns, arrived_ns)
        self.newest_arrival = time.monotonic()
        self._note(time_ns, self.base.add_odometry(message, time_ns))

    def _on_start(self, raw: bytes, topic: str, type_name: str, arrived_ns: int) -> None:
        message = self._decoded(raw, topic, type_name, START_KEY)
        self.base.add_pose(message, self._date(message.stamp_ns, arrived_ns))

    def _note(self, time_ns: int, since: int | None) -> None:
        if since is not None:
            self._paused(time_ns, since)

    @staticmethod
    def _decoded(raw: bytes, topic: str, type_name: str, key: str) -> StampedTransform:
        if type_name not in FIELDS:
            raise BadInput(
                f"topic {topic} does not say where the base is",
                where=key,
                found=type_name,
                expected=f"a topic of type {' or '.join(FIELDS)}",
            )
        return decode_pose(raw, type_name)

    def _on_transforms(self, raw: bytes, topic: str, type_name: str, arrived_ns: int) -> None:
        for transform in decode_transforms(raw):
            key = transform.parent.lstrip("/"), transform.child.lstrip("/")
            time_ns = self._date(transform.stamp_ns, arrived_ns)
            if key not in self._graph.edges:
                self._graph.add(topic, time_ns, time_ns, transform)
                self._find_frames()
            if self._odometry is not None and key == self._odometry[0]:
                self.newest_arrival = time.monotonic()
                self._note(time_ns, self.base.add_transform(transform, self._odometry[1], time_ns))
            elif self._map is not None and key == self._map[0]:
                known_ns = min(time_ns, self._date(0, arrived_ns))
                self.base.add_map(transform, self._map[1], known_ns)

    def _find_frames(self) -> None:
        """Find which transforms move the root link and odometry's frame, among those known so far."""
        tree = FramesAbove(self._robot, self._graph)
        odometry = tree.odometry()
        if odometry is None:
            return
        self._odometry = (odometry.parent, odometry.child), tree.to_root(odometry)
        above = tree.map(odometry)
        if above is None:
            return
        self._map = (above.parent, above.child), tree.to_odometry(above, odometry)
        if above.static:  # it may have come before the others, and does not come again
            times, poses = above.table()
            x, y, z, w, i, j, k = poses[-1].tolist()
            once = StampedTransform(above.parent, above.child, 0, (x, y, z, i, j, k, w))
            self.base.add_map(once, self._map[1], int(times[-1]))
