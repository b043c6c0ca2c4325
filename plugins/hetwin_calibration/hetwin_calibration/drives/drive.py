"""A differential drive: dead reckoning, and a Kalman filter that estimates its parameters online."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.least_squares import Floats

NAMES = ("left_radius", "right_radius", "base", "lag", "yaw_bias")


@dataclass(frozen=True, slots=True)
class Drive:
    """Parameters of a differential drive.

    The robot moves forward by ``(right_radius * right + left_radius * left) / 2`` and rotates by
    ``(right_radius * right - left_radius * left) / base + yaw_bias * time``.

    Attributes:
        left_radius: radius of the left wheel [m]; negative if its angle counts backwards.
        right_radius: radius of the right wheel [m]; negative if its angle counts backwards.
        base: distance between the wheels [m].
        lag: the pose at t belongs to the wheel angles stamped t + lag [s].
        yaw_bias: constant added to the yaw rate [rad/s].
        swapped: whether left and right wheel are swapped in the recording.
    """

    left_radius: float
    right_radius: float
    base: float
    lag: float = 0.0
    yaw_bias: float = 0.0
    swapped: bool = False

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters by name, without `swapped`."""
        return {name: getattr(self, name) for name in NAMES}

    def but(self, **changes: float) -> Drive:
        """Return a copy with some parameters changed."""
        parameters: dict[str, Any] = dict(changes)
        return replace(self, **parameters)


@dataclass(frozen=True, slots=True)
class Recording:
    """Wheel angles of a robot, and its true poses.

    Attributes:
        name: name of the recording, for messages.
        wheel_times: (n,) stamps of the wheel angles, increasing [s].
        wheels: (n, 2) angles of the left and the right wheel [rad].
        times: (m,) stamps of the poses, increasing [s].
        places: (m, 2) true x and y [m].
        headings: (m,) true yaw, unwrapped [rad]; None if unknown.
    """

    name: str
    wheel_times: Floats
    wheels: Floats
    times: Floats
    places: Floats
    headings: Floats | None

    @property
    def duration(self) -> float:
        """Time from the first pose to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def between(self, begin: float, end: float) -> Recording:
        """Return a copy with only the poses of a time interval [s], and all wheel angles."""
        kept = (self.times >= begin) & (self.times <= end)
        headings = None if self.headings is None else self.headings[kept]
        return replace(self, times=self.times[kept], places=self.places[kept], headings=headings)

    def angles(self, lag: float) -> Floats:
        """Return the wheel angles (m, 2) at the times of the poses plus a lag [s], interpolated [rad]."""
        at = self.times + lag
        left, right = (np.interp(at, self.wheel_times, column) for column in self.wheels.T)
        return np.column_stack([left, right])


@dataclass(frozen=True, slots=True)
class Path:
    """Path of a robot by dead reckoning, in the frame of its first pose.

    Attributes:
        points: (m,) positions as complex numbers x + iy [m].
        headings: (m,) yaw [rad].
        ways: (m,) forward distance since the first pose [m].
    """

    points: NDArray[np.complex128]
    headings: Floats
    ways: Floats

    @property
    def places(self) -> Floats:
        """Positions (m, 2), x and y [m]."""
        return np.column_stack([self.points.real, self.points.imag])


def reckoned(drive: Drive, recording: Recording) -> Path:
    """Return the path of dead reckoning at the times of the poses."""
    left, right = recording.angles(drive.lag).T
    if drive.swapped:
        left, right = right, left
    left, right = drive.left_radius * (left - left[0]), drive.right_radius * (right - right[0])
    ways = 0.5 * (right + left)
    headings = (right - left) / drive.base
    headings = headings + drive.yaw_bias * (recording.times - recording.times[0])
    turn = np.diff(headings)
    half = 0.5 * turn
    chord = np.diff(ways) * (1.0 - half * half / 6.0 * (1.0 - half * half / 20.0))
    points = np.zeros(len(ways), dtype=np.complex128)
    np.cumsum(chord * np.exp(1j * (headings[:-1] + half)), out=points[1:])
    return Path(points, headings, ways)


_X, _Y, _YAW, _LEFT, _RIGHT, _BASE = range(6)
_LOOSE = (0.03, 0.03, 0.08)
"""Prior standard deviations of left radius, right radius and base, as shares of the data sheet."""
_SLIP, _SWERVE = 0.01, 0.02
"""Process noise of 1 m of travel: standard deviations of the position [m] and of the heading [rad]."""
_POSE = (0.003, 0.003, 0.01)
"""Noise of true poses [m, m, rad]."""
_GATE = 16.27
"""Maximum squared Mahalanobis distance of a pose; the 99.9 % quantile of chi-squared with three degrees of freedom."""
_LOST = 5
"""Number of consecutively rejected poses after which the filter restarts at the next pose."""
_PERIOD_S = 1.0
"""Time between the true poses that are used [s]."""


class DriveFilter:
    """Extended Kalman filter for pose, wheel radii and base of a drive.

    Args:
        sheet: prior parameters; lag and bias are not estimated.

    Attributes:
        refused: number of true poses that the gate rejected.
    """

    def __init__(self, sheet: Drive) -> None:
        self._sheet = sheet
        self._state = np.zeros(6)
        self._covariance = np.diag([0.0, 0.0, 0.0, *np.square(_LOOSE)])
        self._in_a_row = _LOST  # start at the first pose
        self.refused = 0

    @property
    def drive(self) -> Drive:
        """The present estimate."""
        left, right, base = np.exp(self._state[_LEFT:]).tolist()
        return self._sheet.but(
            left_radius=self._sheet.left_radius * left,
            right_radius=self._sheet.right_radius * right,
            base=self._sheet.base * base,
        )

    @property
    def sd(self) -> dict[str, float]:
        """Standard deviations of radii and base by name [m]."""
        shares = np.sqrt(np.diag(self._covariance)[_LEFT:]).tolist()
        known = self.drive.parameters
        names = ("left_radius", "right_radius", "base")
        return {name: abs(known[name]) * share for name, share in zip(names, shares, strict=True)}

    def roll(self, left: float, right: float, seconds: float) -> None:
        """Predict the motion by small rotations of the wheels [rad] in a duration [s]."""
        drive = self.drive
        if drive.swapped:
            left, right = right, left
        left, right = drive.left_radius * left, drive.right_radius * right
        way, turn = (right + left) / 2.0, (right - left) / drive.base + drive.yaw_bias * seconds
        along = self._state[_YAW] + turn / 2.0
        c, s = math.cos(along), math.sin(along)
        self._state[:3] += (way * c, way * s, turn)
        F = np.eye(6)  # noqa: N806
        by_way, by_turn = np.zeros(6), np.zeros(6)
        by_way[_LEFT:] = left / 2.0, right / 2.0, 0.0
        by_turn[_LEFT:] = -left / drive.base, right / drive.base, -(right - left) / drive.base
        F[_X] += c * by_way - way * s * by_turn / 2.0
        F[_Y] += s * by_way + way * c * by_turn / 2.0
        F[_YAW] += by_turn
        F[_X, _YAW], F[_Y, _YAW] = -way * s, way * c
        rolled = (abs(left) + abs(right)) / 2.0
        noise = np.array([_SLIP**2, _SLIP**2, _SWERVE**2]) * rolled
        self._covariance = F @ self._covariance @ F.T
        self._covariance[range(3), range(3)] += noise

    def see(self, pose: Floats) -> bool:
        """Correct the estimate with a true pose (3,) x, y [m], yaw [rad]; return False if the gate rejects it."""
        if self._in_a_row >= _LOST:
            self._believe(pose)
            return True
        off = pose - self._state[:3]
        off[_YAW] = math.remainder(off[_YAW], 2.0 * math.pi)
        spread = self._covariance[:3, :3] + np.diag(np.square(_POSE))
        if float(off @ np.linalg.solve(spread, off)) > _GATE:
            self._in_a_row += 1
            self.refused += 1
            return False
        self._in_a_row = 0
        gain = np.linalg.solve(spread, self._covariance[:3]).T
        self._state += gain @ off
        kept = np.eye(6)
        kept[:, :3] -= gain
        self._covariance = (
            kept @ self._covariance @ kept.T + gain @ np.diag(np.square(_POSE)) @ gain.T
        )
        return True

    def _believe(self, pose: Floats) -> None:
        """Restart at a pose, but keep the estimate of the drive."""
        self._in_a_row = 0
        self._state[:3] = pose
        self._covariance[:3] = self._covariance[:, :3] = 0.0
        self._covariance[range(3), range(3)] = np.square(_POSE)

    def begin_recording(self) -> None:
        """Start another recording: restart at the next pose."""
        self._in_a_row = _LOST


def learned_along(recordings: Sequence[Recording], sheet: Drive) -> DriveFilter:
    """Return a filter after it has processed recordings with headings, with one true pose per second."""
    along = DriveFilter(sheet)
    for recording in recordings:
        along.begin_recording()
        _follow(along, recording, sheet.lag)
    return along


def _follow(along: DriveFilter, recording: Recording, lag: float) -> None:
    headings = recording.headings
    assert headings is not None
    poses = np.column_stack([recording.places, headings])
    steps = np.diff(recording.angles(lag), axis=0).tolist()
    times = recording.times.tolist()
    along.see(poses[0])
    last = times[0]
    for i, (left, right) in enumerate(steps, start=1):
        along.roll(left, right, times[i] - times[i - 1])
        if times[i] - last >= _PERIOD_S - 1e-6:
            along.see(poses[i])
            last = times[i]
