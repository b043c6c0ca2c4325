"""The motion of a robot's base in a recording."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.base.from_transforms import MapPoses, read_transforms
from model_nodes.main_physics.sources.base.path import (
    BasePlayback,
    Placement,
    PoseNumbers,
    PosePath,
    moved_in_plane,
    odom_frame,
    set_planar,
)
from model_nodes.main_physics.sources.base.pose_messages import (
    POSE,
    POSE_WITH_COVARIANCE,
    frame_in_root,
)
from model_nodes.main_physics.sources.base.recorded_poses import (
    SHIFT_LIMITS,
    TURN_LIMITS,
    RecordedPoses,
    first_jump,
    read_poses,
)
from model_nodes.main_physics.sources.implausible import find_gaps
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_series import Series
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.sources.transforms import composed, inverted
from model_nodes.main_physics.world.description import IDENTITY, Body, Pose
from model_nodes.main_physics.world.transforms import compose, invert

TF = "tf"
"""Value of `odometry` or `start` that stands for the transforms."""
ODOMETRY_KEY = "robot.base.odometry"
START_KEY = "robot.base.start"


class RecordedBase:
    """The motion of a robot's base, read and validated before a run starts.

    Args:
        bag: the recording.
        robot: the robot; its pose is the start if `base` has none.
        base: the scenario's entry, with odometry and start.
        period_ns: usual period between calls of `at` [ns].

    Attributes:
        notes: notes for the user.
        findings: gaps, and repaired messages.

    Raises:
        BadInput: if the recording does not contain the base's motion, or the motion is impossible.
    """

    def __init__(self, bag: Bag, robot: Body, base: FollowedBase, period_ns: int) -> None:
        self._bag = bag
        self.notes: list[str] = []
        self._map: MapPoses | None = None
        self._offset: Pose = IDENTITY
        if base.odometry == TF:
            odometry, self._map = read_transforms(robot, bag)
        else:
            odometry = self._read_topic(robot, base.odometry)
        self._faults = [odometry.fault]
        self._path = _path(odometry, bag.path)
        self.findings = _gaps(odometry, bag.duration_ns)
        self.findings += odometry.usage.findings(bag.duration_ns)
        placement = self._placement(robot, base)
        self._playback = BasePlayback(self._path, placement, period_ns)

    def at(self, time_ns: int) -> BaseMotion:
        """Return the motion of the base at a time; it rests before the first and after the last message.

        Raises:
            RunFailed: if the messages cannot be read up to this time.
        """
        for fault in self._faults:
            if fault is not None and time_ns >= fault.time_ns:
                raise RunFailed("recording", "read", fault.time_ns, fault.reason)
        return self._playback.at(time_ns)

    def save(self) -> Plain:
        """Return which part of the motion has been evaluated ahead."""
        return self._playback.save()

    def restore(self, saved: Plain) -> None:
        """Evaluate the same part of the motion ahead."""
        self._playback.restore(saved)

    def _read_topic(self, robot: Body, topic: str) -> RecordedPoses:
        """Return the poses of the root link in the frame of a topic's messages."""
        found = read_poses(self._bag, topic, ODOMETRY_KEY)
        self._offset = frame_in_root(robot, found.child, topic)
        poses = composed(found.poses, inverted(np.array([self._offset])))
        return RecordedPoses(
            topic,
            found.times_ns,
            poses,
            found.parent,
            found.child,
            found.messages,
            found.usage,
            found.fault,
        )

    def _placement(self, robot: Body, base: FollowedBase) -> Placement:
        first = self._odometry_at(0)
        start = base.start
        if isinstance(start, str) and start != TF:
            return self._by_topic(odom_frame(robot.pose, first), start)
        pose = robot.pose if not isinstance(start, list) else set_planar(robot.pose, *start)
        if start == TF:
            return self._by_map(None)
        return Placement(odom_frame(pose, first)) if self._map is None else self._by_map(pose)

    def _by_map(self, start: Pose | None) -> Placement:
        """Return the placement by transforms; without a start the map frame is the world."""
        if self._map is None:
            raise BadInput(
                f"no transform of the recording {self._bag.path} says where odometry's frame is in a map",
                where=START_KEY,
                found=TF,
                expected="a topic with poses, x y yaw, or no start: the robot's pose",
            )
        poses = [self._map.poses[i] for i in _changes(self._map)]
        times = [int(self._map.times_ns[i]) for i in _changes(self._map)]
        world = IDENTITY
        if start is not None:
            current = max(int(np.searchsorted(times, 0, side="right")) - 1, 0)
            world = compose(start, invert(compose(poses[current], self._odometry_at(0))))
        placement = Placement(compose(world, poses[0]), self._map.frame)
        for time_ns, pose in zip(times[1:], poses[1:], strict=True):
            placement.correct(time_ns, compose(world, pose), self._odometry_at(time_ns))
        return placement

    def _by_topic(self, scenario: Pose, topic: str) -> Placement:
        """Return the placement by the poses of a localization; height and tilt are the scenario's.

        Args:
            scenario: pose of the odometry frame for which the base starts at the robot's pose.
            topic: topic of the localization; its poses refer to the same frame of the robot as odometry.
        """
        found = read_poses(self._bag, topic, START_KEY, (POSE_WITH_COVARIANCE, POSE))
        self.findings += found.usage.findings(self._bag.duration_ns)
        self._faults.append(found.fault)
        to_root = invert(self._offset)
        odometry = self._path.at(found.times_ns)[:, :7]
        first = moved_in_plane(scenario, compose(tuple(found.poses[0]), to_root), odometry[0])
        placement = Placement(first, topic)
        for time_ns, pose, base in zip(found.times_ns, found.poses, odometry, strict=True):
            placement.move_base(int(time_ns), compose(tuple(pose), to_root), base)
        return placement

    def _odometry_at(self, time_ns: int) -> Sequence[float]:
        numbers: list[float] = self._path.at(np.array([time_ns], np.int64))[0, :7].tolist()
        return numbers


def _path(odometry: RecordedPoses, file: Path) -> PosePath:
    """Return the path through the poses.

    Raises:
        BadInput: if the poses jump as no base can.
    """
    times, poses = odometry.times_ns, odometry.poses
    converter = PoseNumbers(poses[0])
    numbers = converter.numbers(poses)
    jump = first_jump(times, numbers)
    if jump is not None:
        before, after = numbers[jump], numbers[jump + 1]
        shift, angle = np.linalg.norm((after - before)[:3]), np.linalg.norm((after - before)[3:])
        raise BadInput(
            "odometry jumps, as no base drives",
            file=file,
            where=odometry.location(jump + 1),
            found=f"{shift:.3f} m and {angle:.3f} rad from {times[jump] / 1e9:.3f} to {times[jump + 1] / 1e9:.3f} s",
            expected=f"at most {SHIFT_LIMITS.speed:g} m/s and {TURN_LIMITS.speed:g} rad/s, in more than one step;"
            " poses of a localization, which jump, are named as base.start",
        )
    return PosePath(times, numbers, converter)


def _gaps(odometry: RecordedPoses, duration_ns: int) -> list[Finding]:
    """Find the pauses of odometry, in the same way as those of joint states."""
    count = len(odometry.times_ns)
    series = Series(
        ("",), odometry.times_ns, np.zeros((count, 1)), np.zeros((count, 1)), odometry.origin
    )
    found = find_gaps([series], duration_ns, JointFacts())
    return [
        Finding(gap.name, gap.from_ns, gap.to_ns, {**gap.arguments, "joints": []}) for gap in found
    ]


def _changes(found: MapPoses) -> list[int]:
    """Return the index of the first pose, and of each pose that differs from the previous one."""
    changed = (np.diff(found.poses, axis=0) != 0.0).any(axis=1)
    return [0, *(np.flatnonzero(changed) + 1).tolist()]
