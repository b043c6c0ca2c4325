"""The base of a live robot: where odometry says it moves, from where a localization says it is."""

from __future__ import annotations

from collections import deque

import numpy as np

from hetwin_core.ensemble.scenario.robot import FollowedBase
from model_nodes.main_physics.sources.base.frames import frame_in_root
from model_nodes.main_physics.sources.base.placement import (
    Placement,
    beginning_at,
    moved_in_plane,
)
from model_nodes.main_physics.sources.base.playback import motions
from model_nodes.main_physics.sources.base.pose_messages import NoPose, checked_pose
from model_nodes.main_physics.sources.base.recorded_base import TF
from model_nodes.main_physics.sources.base.turns import put_at
from model_nodes.main_physics.sources.live.arrivals import Unusable
from model_nodes.main_physics.sources.live.base_samples import KEPT_BEHIND, BaseSamples
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.sources.transforms import StampedTransform
from model_nodes.main_physics.world.description import IDENTITY, Body, Pose
from model_nodes.main_physics.world.transforms import compose, invert


class LiveBase:
    """The motion of a robot's base as its messages arrive; times are the robot's stamps [ns].

    A localization's pose is compared with odometry at its stamp, and corrects from then on what has not been played.

    Args:
        robot: its pose is where it stands if `base` does not say where it starts.
        base: the topics.

    Attributes:
        samples: what odometry said.
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
        """Whether it is known how it moves and where it is."""
        placed = not isinstance(self._start, str) or self._newest is not None
        return self.samples.complete and placed

    def add_odometry(self, message: StampedTransform, time_ns: int) -> int | None:
        """Add a message; returns the time since the last one [ns], None for the first.

        Raises:
            BadInput: if the first one is about a frame that is not fixed to the root link.
            Unusable: if it is not a pose, about another frame than before, or not newer than the last.
            Leapt: if odometry jumps.
        """
        pose = _checked(message)
        if self._child is None:
            frame = frame_in_root(self._robot, message.child.lstrip("/"), self._odometry)
            self._child, self._to_root = message.child, invert(frame)
        if message.child != self._child:
            raise Unusable(f"it is about {message.child}, not {self._child}")
        return self.samples.add_pose(time_ns, compose(pose, self._to_root))

    def add_pose(self, message: StampedTransform, time_ns: int) -> None:
        """Add a pose of the localization.

        Raises:
            Unusable: if it is not a pose, or its stamp is older than the one before.
        """
        self._add(time_ns, _checked(message))

    def add_transform(self, message: StampedTransform, to_root: Pose, time_ns: int) -> int | None:
        """Add a transform that moves the root link; otherwise as `add_odometry`.

        Args:
            to_root: pose of the root link in the frame that it moves.
        """
        return self.samples.add_pose(time_ns, compose(_checked(message), to_root))

    def add_map(self, message: StampedTransform, to_odometry: Pose, time_ns: int) -> None:
        """Add a transform between the map and odometry's frame; what it says already is left out.

        Args:
            to_odometry: pose of odometry's frame in the frame that it moves.
            time_ns: when it is known.

        Raises:
            Unusable: as `add_pose`.
        """
        pose = compose(_checked(message), to_odometry)
        self._map = message.parent
        if self._newest is None or pose != self._newest[1]:
            self._add(time_ns, pose)

    def _add(self, time_ns: int, pose: Pose) -> None:
        if self._newest is not None and time_ns < self._newest[0]:
            raise Unusable("its stamp is older than the one before")
        self._newest = time_ns, pose
        if self._placement is not None:
            self._poses.append(self._newest)

    def begin_run(self) -> None:
        """Let the run begin: where the base is then is decided by the first motion."""
        self._placement = None
        self._poses.clear()

    def motions(self, time_ns: int, period_ns: int, rows: int) -> list[BaseMotion]:
        """Return the base at a time and the periods after it."""
        self.samples.drop_before(time_ns, KEPT_BEHIND)
        if self._placement is None:
            self._placement = self._first(time_ns)
        self._correct(self._placement, time_ns)
        path = self.samples.path(time_ns, time_ns + (rows - 1) * period_ns)
        return motions(path, self._placement, time_ns, period_ns, rows, time_ns - period_ns)

    def skip(self, begin_ns: int, shift_ns: int) -> None:
        """Let what the localization says after a time be sooner; called before the samples are cut."""
        if self._placement is not None:
            self._correct(self._placement, begin_ns)
            self._placement.advance(begin_ns, shift_ns)
        self._poses = deque((when - shift_ns, pose) for when, pose in self._poses)

    def _first(self, time_ns: int) -> Placement:
        start = put_at(self._robot.pose, *self._start) if isinstance(self._start, list) else None
        first = beginning_at(start or self._robot.pose, self._at(time_ns))
        if self._newest is None:
            return Placement(first, self._map)
        when, pose = self._newest
        if self._map:
            self._world = IDENTITY if self._start == TF else compose(first, invert(pose))
            return Placement(compose(self._world, pose), self._map)
        target = compose(pose, self._to_root)
        return Placement(moved_in_plane(first, target, self._at(when)), str(self._start))

    def _correct(self, placement: Placement, time_ns: int) -> None:
        """Apply the localization's poses of times that odometry knows."""
        while self._poses and self._poses[0][0] <= self.samples.known_until:
            when, pose = self._poses.popleft()
            odometry, now = self._at(when), max(when, time_ns)
            if self._map:
                placement.correct(now, compose(self._world, pose), odometry)
            else:
                placement.put(now, compose(pose, self._to_root), odometry)

    def _at(self, time_ns: int) -> Pose:
        """Where odometry has the root link at a time."""
        times = np.array([time_ns], np.int64)
        x, y, z, w, i, j, k = self.samples.path(time_ns, time_ns).at(times)[0, :7].tolist()
        return (x, y, z, w, i, j, k)


def _checked(message: StampedTransform) -> Pose:
    try:
        return checked_pose(message)
    except NoPose as error:
        raise Unusable(f"it is not a pose: {error}") from None
