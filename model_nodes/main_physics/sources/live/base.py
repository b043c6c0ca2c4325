"""Base motion of a live robot: from odometry, started and corrected by poses of a localization."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import FollowedBase
from model_nodes.main_physics.sources.base.from_transforms import BaseFrames
from model_nodes.main_physics.sources.base.path import (
    Placement,
    motions,
    moved_in_plane,
    odom_frame,
    set_planar,
)
from model_nodes.main_physics.sources.base.pose_messages import (
    FIELDS,
    InvalidPose,
    checked_pose,
    decode_pose,
    frame_in_root,
)
from model_nodes.main_physics.sources.base.recorded_base import ODOMETRY_KEY, START_KEY, TF
from model_nodes.main_physics.sources.joint_messages import DecodeError
from model_nodes.main_physics.sources.live.arrivals import (
    KEPT_POSES,
    BadMessage,
    BaseSamples,
    OdometryJump,
)
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.sources.transforms import (
    StampedTransform,
    TransformGraph,
    decode_transforms,
)
from model_nodes.main_physics.world.description import IDENTITY, Body, Pose
from model_nodes.main_physics.world.transforms import compose, invert


class LiveBase:
    """The motion of a robot's base from arriving messages; times are the robot's stamps [ns].

    A pose of the localization is compared with odometry at the same stamp; the correction applies to motion that has
    not been played yet.

    Args:
        robot: the robot; its pose is the start if `base` has none.
        base: the scenario's entry, with the topics.

    Attributes:
        samples: samples of odometry.
    """

    def __init__(self, robot: Body, base: FollowedBase) -> None:
        self._robot = robot
        self._start = base.start
        self._odometry = base.odometry
        self.samples = BaseSamples()
        self._child: str | None = None
        self._to_root: Pose = IDENTITY
        self._newest: tuple[int, Pose] | None = None
        self._poses: deque[tuple[int, Pose]] = deque()
        self._map = ""
        self._world: Pose = IDENTITY
        self._placement: Placement | None = None

    @property
    def ready(self) -> bool:
        """Whether both the motion and the pose of the base are known."""
        placed = not isinstance(self._start, str) or self._newest is not None
        return self.samples.has_motion and placed

    def add_odometry(self, message: StampedTransform, time_ns: int) -> int | None:
        """Add a message of odometry; returns the time since the last one [ns], or None for the first.

        Raises:
            BadInput: if the first message is about a frame that is not fixed to the root link.
            BadMessage: if it is not a pose, about another frame than before, or not newer than the last one.
            OdometryJump: if odometry jumps.
        """
        pose = _checked_pose(message)
        if self._child is None:
            frame = frame_in_root(self._robot, message.child.lstrip("/"), self._odometry)
            self._child, self._to_root = message.child, invert(frame)
        if message.child != self._child:
            raise BadMessage(f"it is about {message.child}, not {self._child}")
        return self.samples.add_pose(time_ns, compose(pose, self._to_root))

    def add_pose(self, message: StampedTransform, time_ns: int) -> None:
        """Add a pose of the localization.

        Raises:
            BadMessage: if it is not a pose, or its stamp is older than the last one.
        """
        self._add(time_ns, _checked_pose(message))

    def add_transform(self, message: StampedTransform, to_root: Pose, time_ns: int) -> int | None:
        """Add a transform that moves the root link; see `add_odometry` for the result and the errors.

        Args:
            message: the transform.
            to_root: pose of the root link in the transform's child frame.
            time_ns: time of the transform.
        """
        return self.samples.add_pose(time_ns, compose(_checked_pose(message), to_root))

    def add_map(self, message: StampedTransform, to_odometry: Pose, time_ns: int) -> None:
        """Add a transform from map to odom; unchanged repetitions are ignored.

        Args:
            message: the transform.
            to_odometry: pose of the odometry frame in the transform's child frame.
            time_ns: time at which the transform is known.

        Raises:
            BadMessage: see `add_pose`.
        """
        pose = compose(_checked_pose(message), to_odometry)
        self._map = message.parent
        if self._newest is None or pose != self._newest[1]:
            self._add(time_ns, pose)

    def _add(self, time_ns: int, pose: Pose) -> None:
        if self._newest is not None and time_ns < self._newest[0]:
            raise BadMessage("its stamp is older than the one before")
        self._newest = time_ns, pose
        if self._placement is not None:
            self._poses.append(self._newest)

    def begin_run(self) -> None:
        """Start the run; the first call of `motions` determines the pose of the base."""
        self._placement = None
        self._poses.clear()

    def motions(self, time_ns: int, period_ns: int, rows: int) -> list[BaseMotion]:
        """Return the motion of the base at a time and at the periods after it."""
        self.samples.drop_before(time_ns, KEPT_POSES)
        if self._placement is None:
            self._placement = self._initial_placement(time_ns)
        self._correct(self._placement, time_ns)
        path = self.samples.path(time_ns, time_ns + (rows - 1) * period_ns)
        return motions(path, self._placement, time_ns, period_ns, rows, time_ns - period_ns)

    def skip(self, begin_ns: int, shift_ns: int) -> None:
        """Shift the localization's poses after a time to earlier times; call it before `remove_interval`."""
        if self._placement is not None:
            self._correct(self._placement, begin_ns)
            self._placement.advance(begin_ns, shift_ns)
        self._poses = deque((stamp_ns - shift_ns, pose) for stamp_ns, pose in self._poses)

    def _initial_placement(self, time_ns: int) -> Placement:
        start = (
            set_planar(self._robot.pose, *self._start) if isinstance(self._start, list) else None
        )
        first = odom_frame(start or self._robot.pose, self._base_at(time_ns))
        if self._newest is None:
            return Placement(first, self._map)
        stamp_ns, pose = self._newest
        if self._map:
            self._world = IDENTITY if self._start == TF else compose(first, invert(pose))
            return Placement(compose(self._world, pose), self._map)
        target = compose(pose, self._to_root)
        return Placement(moved_in_plane(first, target, self._base_at(stamp_ns)), str(self._start))

    def _correct(self, placement: Placement, time_ns: int) -> None:
        """Apply the poses of the localization up to the time that odometry covers."""
        while self._poses and self._poses[0][0] <= self.samples.certain_until_ns:
            stamp_ns, pose = self._poses.popleft()
            odometry, applied_ns = self._base_at(stamp_ns), max(stamp_ns, time_ns)
            if self._map:
                placement.correct(applied_ns, compose(self._world, pose), odometry)
            else:
                placement.move_base(applied_ns, compose(pose, self._to_root), odometry)

    def _base_at(self, time_ns: int) -> Pose:
        """The pose of the root link in the odometry frame at a time."""
        times = np.array([time_ns], np.int64)
        x, y, z, w, i, j, k = self.samples.path(time_ns, time_ns).at(times)[0, :7].tolist()
        return (x, y, z, w, i, j, k)


def _checked_pose(message: StampedTransform) -> Pose:
    try:
        return checked_pose(message)
    except InvalidPose as error:
        raise BadMessage(f"it is not a pose: {error}") from None


TF_TOPICS = ("tf", "tf_static", "/tf", "/tf_static")
"""Topics of transforms: relative ones, in the robot's namespace, and the global ones."""


class Topics(Protocol):
    """Subscribes to topics."""

    def listen(self, topic: str, callback: Callable[[bytes, str, int], None]) -> None:
        """Call `callback` with each serialized message of a topic, the name of its type and its arrival [ns]."""

    def seen(self) -> dict[str, list[str]]:
        """Return the types of all topics by name."""


class BaseFeed:
    """Feeds a `LiveBase` from the topics that a scenario names.

    Args:
        robot: the robot with the base.
        base: the scenario's entry, with the topics.
        updated: condition that is held while a message is processed, and notified afterwards.
        date: returns the time of measurement from a stamp (0: none) and an arrival [ns].
        unusable: called with the reason why a message cannot be used.
        paused: called with the time of a message and the time since the one before [ns].

    Attributes:
        base: the motion of the base.
        problem: the reason why the topics cannot be used at all.
        broken: the reason why the run cannot continue.
        topic: topic of odometry.
        newest_arrival: last arrival of odometry, by the monotonic clock [s].
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
        self._has_started = False

    def subscribe(self, topics: Topics) -> None:
        """Subscribe to the topics that the base needs."""
        start = self._spec.start
        if self._spec.odometry != TF:
            topics.listen(self._spec.odometry, self._message(self._spec.odometry, self._on_pose))
        else:
            for topic in dict.fromkeys(TF_TOPICS):
                topics.listen(topic, self._message(topic, self._on_transforms))
        if isinstance(start, str) and start != TF:
            topics.listen(start, self._message(start, self._on_start))

    def begin_run(self) -> None:
        """Start the run; from now on a jump of odometry ends it."""
        self._has_started = True
        self.base.begin_run()

    def missing(self, wait: float, topics: Topics) -> BadInput:
        """Return the error that data did not arrive within `wait` seconds."""
        if self.problem is not None:
            return self.problem
        if self._spec.odometry == TF and not self.base.samples.has_motion:
            return BaseFrames(self._robot, self._graph).missing("the live robot")
        lacks_odometry = not self.base.samples.has_motion
        topic = self._spec.odometry if lacks_odometry else str(self._spec.start)
        key = ODOMETRY_KEY if lacks_odometry else START_KEY
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
                except (BadMessage, DecodeError) as error:
                    self._unusable(f"{topic}: {error}")
                except OdometryJump as error:
                    self._on_jump(f"odometry on {topic} jumps {error}")
                except BadInput as error:
                    self.problem = error
                self._updated.notify_all()

        return on_message

    def _on_jump(self, text: str) -> None:
        """Handle a jump of odometry: before the run it only means that odometry has started again."""
        if self._has_started:
            self.broken = text
        else:
            self.base.samples.clear()

    def _on_pose(self, raw: bytes, topic: str, type_name: str, arrived_ns: int) -> None:
        message = self._decode(raw, topic, type_name, ODOMETRY_KEY)
        time_ns = self._date(message.stamp_ns, arrived_ns)
        self.newest_arrival = time.monotonic()
        self._record_pause(time_ns, self.base.add_odometry(message, time_ns))

    def _on_start(self, raw: bytes, topic: str, type_name: str, arrived_ns: int) -> None:
        message = self._decode(raw, topic, type_name, START_KEY)
        self.base.add_pose(message, self._date(message.stamp_ns, arrived_ns))

    def _record_pause(self, time_ns: int, since: int | None) -> None:
        if since is not None:
            self._paused(time_ns, since)

    @staticmethod
    def _decode(raw: bytes, topic: str, type_name: str, key: str) -> StampedTransform:
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
                self._record_pause(
                    time_ns, self.base.add_transform(transform, self._odometry[1], time_ns)
                )
            elif self._map is not None and key == self._map[0]:
                known_ns = min(time_ns, self._date(0, arrived_ns))
                self.base.add_map(transform, self._map[1], known_ns)

    def _find_frames(self) -> None:
        """Find the transforms of the root link (odom to base) and of the odometry frame (map to odom), if known."""
        tree = BaseFrames(self._robot, self._graph)
        odometry = tree.odometry()
        if odometry is None:
            return
        self._odometry = (odometry.parent, odometry.child), tree.to_root(odometry)
        map_edge = tree.map(odometry)
        if map_edge is None:
            return
        self._map = (map_edge.parent, map_edge.child), tree.to_odometry(map_edge, odometry)
        if map_edge.static:  # it may have arrived before the others, and is not sent again
            times, poses = map_edge.table()
            x, y, z, w, i, j, k = poses[-1].tolist()
            message = StampedTransform(map_edge.parent, map_edge.child, 0, (x, y, z, i, j, k, w))
            self.base.add_map(message, self._map[1], int(times[-1]))
