"""A robot on two driven wheels: where it goes by what its wheels do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.least_squares import Floats

NAMES = ("left_radius", "right_radius", "base", "lag", "yaw_bias")


@dataclass(frozen=True, slots=True)
class Drive:
    """Parameters of a drive on two wheels.

    The robot goes ``(right_radius * right + left_radius * left) / 2`` forward and turns by
    ``(right_radius * right - left_radius * left) / base + yaw_bias * time``.

    Attributes:
        left_radius: of the left wheel [m]; below 0 if its angle counts backwards.
        right_radius: of the right wheel [m]; below 0 if its angle counts backwards.
        base: between the wheels [m].
        lag: the pose at t belongs to the wheel angles stamped t + lag [s].
        yaw_bias: added to the turn [rad/s].
        swapped: whether the recording calls the right wheel left, and the left one right.
    """

    left_radius: float
    right_radius: float
    base: float
    lag: float = 0.0
    yaw_bias: float = 0.0
    swapped: bool = False

    @property
    def parameters(self) -> dict[str, float]:
        """The numbers by name."""
        return {name: getattr(self, name) for name in NAMES}

    def but(self, **changes: float) -> Drive:
        """Return the drive with other parameters."""
        parameters: dict[str, Any] = dict(changes)
        return replace(self, **parameters)


@dataclass(frozen=True, slots=True)
class Recording:
    """What the wheels of a robot did, and where it truly was.

    Attributes:
        name: of the recording, for messages.
        wheel_times: (n,) stamps of the wheels, increasing [s].
        wheels: (n, 2) angles of the left and the right wheel [rad].
        times: (m,) of the poses, increasing [s].
        places: (m, 2) x and y [m].
        headings: (m,) without jumps [rad]; None if they are not known.
    """

    name: str
    wheel_times: Floats
    wheels: Floats
    times: Floats
    places: Floats
    headings: Floats | None

    @property
    def duration(self) -> float:
        """From the first pose to the last [s]."""
        return float(self.times[-1] - self.times[0])

    def between(self, begin: float, end: float) -> Recording:
        """Return the part of the poses from a time to another [s]; the wheels stay."""
        kept = (self.times >= begin) & (self.times <= end)
        headings = None if self.headings is None else self.headings[kept]
        return replace(self, times=self.times[kept], places=self.places[kept], headings=headings)

    def angles(self, lag: float) -> Floats:
        """Return the wheels' angles (m, 2) that belong to the poses [rad]."""
        at = self.times + lag
        left, right = (np.interp(at, self.wheel_times, column) for column in self.wheels.T)
        return np.column_stack([left, right])


@dataclass(frozen=True, slots=True)
class Path:
    """Where a robot was by dead reckoning, in the frame of its first pose.

    Attributes:
        points: (m,) places as numbers x + iy [m].
        headings: (m,) [rad].
        ways: (m,) driven forward since the first pose [m].
    """

    points: NDArray[np.complex128]
    headings: Floats
    ways: Floats

    @property
    def places(self) -> Floats:
        """(m, 2) x and y [m]."""
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
