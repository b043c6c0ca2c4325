"""Calibrates a robot's efforts from a recording: splits them into their causes, and describes the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_calibration.efforts.arm_dynamics import ArmDynamics, arms_of
from hetwin_calibration.efforts.samples import sampled
from hetwin_calibration.efforts.split_arm import SplitArm, split_arm
from hetwin_suite.command import BadInput
from hetwin_suite.engine import Body, JointKind, Notes
from hetwin_suite.episode import Bag, Series, read_motion, recording_of
from hetwin_suite.robot import read_urdf

GRAVITY = (0.0, 0.0, -9.81)
_MIN_DURATION_S = 10.0


@dataclass(frozen=True, slots=True)
class CalibratedEfforts:
    """Results for all arms of a robot.

    Attributes:
        recording: path of the recording.
        robot: file of the robot.
        seconds: duration of the recording [s].
        arms: results by arm.
    """

    recording: Path
    robot: Path
    seconds: float
    arms: tuple[SplitArm, ...]

    def friction(self) -> dict[str, dict[str, float]]:
        """Return the friction to write into the robot's file, of joints with torques and a confirmed fit."""
        return {
            name: arm.friction(j)
            for arm in self.arms
            for j, name in enumerate(arm.joints)
            if arm.found.is_torque and arm.is_confirmed(j)
        }

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `hetwin calibrate efforts --json`."""
        return {
            "recording": str(self.recording),
            "robot": str(self.robot),
            "seconds": self.seconds,
            "arms": [arm.to_json() for arm in self.arms],
        }

    def lines(self) -> Iterator[str]:
        """Return the result as lines of text."""
        for arm in self.arms:
            yield from arm.lines()


def calibrated_efforts(recording: Path, robot: Path) -> CalibratedEfforts:
    """Split the efforts of a recording.

    Raises:
        BadInput: if one of the files cannot be read, or the recording is too short or has no efforts of the robot.
    """
    body = read_urdf(robot, Notes())
    bag = Bag(Path(recording_of(str(recording))).expanduser())
    try:
        series = read_motion(bag, None, {}, None, [body]).series
    finally:
        bag.close()
    known = [group for group in series if np.isfinite(group.efforts).any() and group.efforts.any()]
    if not known:
        raise BadInput(
            "the recording has no efforts of this robot",
            file=recording,
            expected="joint states with efforts",
        )
    seconds = max(float(group.times_ns[-1] - group.times_ns[0]) * 1e-9 for group in known)
    if seconds < _MIN_DURATION_S:
        raise BadInput(
            "the recording is too short to tell gravity, inertia and friction apart",
            file=recording,
            found=f"{seconds:.1f} s",
            expected=f"at least {_MIN_DURATION_S:g} s in which the joints move both ways",
        )
    arms = [arm for group in known for arm in _arms(body, group)]
    return CalibratedEfforts(recording, robot, seconds, tuple(arms))


def _arms(body: Body, series: Series) -> Iterator[SplitArm]:
    kinds = {joint.name: joint.kind for joint in body.driven_joints}
    has_effort = (np.isfinite(series.efforts) & (series.efforts != 0.0)).any(axis=0).tolist()
    names = [name for name, is_there in zip(series.names, has_effort, strict=True) if is_there]
    for joints in arms_of(body, names):
        at = [series.names.index(name) for name in joints]
        dynamics = ArmDynamics(body, joints, GRAVITY)
        times = np.asarray(series.times_ns * 1e-9, np.float64)
        samples = sampled(times, series.positions[:, at], series.efforts[:, at], dynamics)
        if not np.isfinite(samples.expected).any():
            continue  # a massless finger
        units = tuple("N" if kinds[name] is JointKind.SLIDE else "N m" for name in joints)
        links = [ArmDynamics(body, joints[: k + 1], GRAVITY) for k in range(len(joints))]
        yield split_arm(joints, units, dynamics.last, samples, links, float(times[0]))
