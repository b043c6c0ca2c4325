"""A Kalman filter that learns a drive while the robot drives: wheels all the time, a true pose now and then."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hetwin_core.kinematics.drives.drive import Drive, Recording
from hetwin_core.kinematics.least_squares import Floats

_X, _Y, _YAW, _LEFT, _RIGHT, _BASE = range(6)
_LOOSE = (0.03, 0.03, 0.08)
"""How far left radius, right radius and base may be off their sheet, as shares."""
_SLIP, _SWERVE = 0.01, 0.02
"""Of a way of 1 m: off by so much [m], and turned by so much [rad]."""
_POSE = (0.003, 0.003, 0.01)
"""Noise of true poses [m, m, rad]."""
_GATE = 16.27
"""Poses that are further off, in squared deviations, do not count: one of a thousand good ones is."""
_LOST = 5
"""After so many poses that did not count the next is believed."""
_PERIOD_S = 1.0
"""Between true poses that are used."""


class DriveFilter:
    """Learns radii and base of a drive while it drives.

    Args:
        sheet: the drive as it is believed to be; lag and bias stay.

    Attributes:
        refused: true poses that were too far off to count.
    """

    def __init__(self, sheet: Drive) -> None:
        self._sheet = sheet
        self._state = np.zeros(6)
        self._covariance = np.diag([0.0, 0.0, 0.0, *np.square(_LOOSE)])
        self._in_a_row = _LOST  # the first pose is believed
        self.refused = 0

    @property
    def drive(self) -> Drive:
        """What is known by now."""
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
        """Go on by what the wheels turned [rad] in a short time."""
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
        """Take a true pose (3,) x, y [m], yaw [rad] into account; return whether it counted."""
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
        """Begin anew at a pose; what is known of the drive stays."""
        self._in_a_row = 0
        self._state[:3] = pose
        self._covariance[:3] = self._covariance[:, :3] = 0.0
        self._covariance[range(3), range(3)] = np.square(_POSE)

    def begin_recording(self) -> None:
        """Begin another recording: the next pose is believed."""
        self._in_a_row = _LOST


def learned_along(recordings: Sequence[Recording], sheet: Drive) -> DriveFilter:
    """Return a filter that has seen recordings with headings, one true pose a second."""
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
