"""Compares a robot's motion with that of its twin, shifted by the robot's lag; computes statistics of differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hetwin_suite.model import UNKNOWN, Consistency, Floats, Json, compose, relative_to


class BaseDifference:
    """Compares a base with its odometry, relative to the start or the last correction.

    Args:
        pose: (13,) pose and twist of the base in the world.
        odometry: (13,) pose and twist of the base in the frame of its odometry.
    """

    def __init__(self, pose: Floats, odometry: Floats) -> None:
        self._begin(pose, odometry)

    def _begin(self, pose: Floats, odometry: Floats) -> None:
        self._pose, self._odometry = _at_rest(pose), _at_rest(odometry)

    def compare(self, pose: Floats, odometry: Floats, corrected: bool) -> tuple[float, float]:
        """Return the horizontal distance [m] and the angle [rad] between the base and its odometry.

        Args:
            pose: (13,) pose and twist of the base in the world.
            odometry: (13,) pose and twist of the base in the frame of its odometry.
            corrected: whether the base was repositioned since the last call, which restarts the comparison.
        """
        if corrected:
            self._begin(pose, odometry)
        moved = relative_to(self._odometry, _at_rest(odometry))
        expected = compose(self._pose, moved)
        distance = math.hypot(pose[0] - expected[0], pose[1] - expected[1])
        turn = relative_to(expected, _at_rest(pose))[3:7]
        angle = 2.0 * math.atan2(float(np.linalg.norm(turn[1:])), abs(float(turn[0])))
        return distance, angle


def _at_rest(pose: Floats) -> Floats:
    still = np.zeros_like(pose)
    still[:7] = pose[:7]
    return still


_BIN_S, _BINS = 0.001, 1000
"""Width [s] and number of the bins in which lags are counted; longer lags fall into the last bin."""


class Figures:
    """Accumulates differences of robot and twin; computes their RMS and maximum, and quantiles of the lag.

    Args:
        joints: names of the n joints.
    """

    def __init__(self, joints: Sequence[str]) -> None:
        self._names = tuple(joints)
        count = len(self._names)
        self._squares, self._largest = np.zeros(count), np.zeros(count)
        self._looks = np.zeros(count)
        self._tip, self._base, self._heading = _Size(), _Size(), _Size()
        self._lags = np.zeros(_BINS, np.int64)
        self.deviations: list[float] = []

    def add(
        self,
        joints: Floats,
        lag: float | None = None,
        tip: float | None = None,
        base: tuple[float, float] | None = None,
    ) -> None:
        """Add one comparison.

        Args:
            joints: (n,) differences [rad or m]; NaN: not known.
            lag: lag of the robot behind the twin [s].
            tip: distance of the tips [m].
            base: distance [m] and angle [rad] of the bases.
        """
        known = np.isfinite(joints)
        size = np.where(known, np.abs(joints), 0.0)
        self._squares += size * size
        np.maximum(self._largest, size, out=self._largest)
        self._looks += known
        if lag is not None:
            self._lags[min(int(lag / _BIN_S), _BINS - 1)] += 1
        if tip is not None:
            self._tip.add(tip)
        if base is not None:
            self._base.add(base[0])
            self._heading.add(base[1])

    def consistency(self) -> Consistency:
        """Return the figures so far."""
        looks = float(self._looks.sum())
        joints = (UNKNOWN, UNKNOWN)
        if looks:
            joints = float(np.sqrt(self._squares.sum() / looks)), float(self._largest.max())
        lags = (self._lag(0.5), self._lag(0.95)) if self._lags.any() else (UNKNOWN, UNKNOWN)
        return Consistency(*joints, *self._tip.pair, *self._base.pair, *self._heading.pair, *lags)

    def to_json(self) -> dict[str, Json] | None:
        """Return the figures of the summary, with joints and deviations; None before the first comparison."""
        row = self.consistency().row()
        if row is None:
            return None
        rms = np.sqrt(self._squares / np.maximum(self._looks, 1.0))
        rows = zip(
            self._names,
            rms.tolist(),
            self._largest.tolist(),
            self._looks.tolist(),
            strict=True,
        )
        by_joint: dict[str, Json] = {
            name: {"rms": round(a, 7), "max": round(b, 7)} for name, a, b, seen in rows if seen
        }
        joints = row["joints"]
        if isinstance(joints, dict):
            joints["of"] = by_joint
        return {**row, "deviates": [round(time, 3) for time in self.deviations]}

    def _lag(self, share: float) -> float:
        count = np.cumsum(self._lags)
        return float(np.searchsorted(count, share * count[-1]) + 0.5) * _BIN_S


class _Size:
    """Root mean square and maximum of magnitudes."""

    def __init__(self) -> None:
        self._squares, self._largest, self._count = 0.0, 0.0, 0

    def add(self, size: float) -> None:
        self._squares += size * size
        self._largest = max(self._largest, size)
        self._count += 1

    @property
    def pair(self) -> tuple[float, float]:
        if not self._count:
            return UNKNOWN, UNKNOWN
        return float((self._squares / self._count) ** 0.5), self._largest


MAX_LAG = 0.25
"""Maximum lag of the robot that is compensated [s]."""
_USUAL_LAG = 0.01
_PRIOR_WEIGHT = 0.002
"""Weight of the usual lag in the estimate, in units of squared velocity integrated over time [rad^2/s or m^2/s]."""
_MEMORY = 3.0
"""Time constant with which past motion is forgotten in the estimate of the lag [s]."""
_MEMORY_APART = 0.5
"""Time constant while robot and twin deviate, which may be because the lag was not known yet [s]."""
_CALM = 0.5
"""Robot and twin agree again if their differences stay below this share of the limits."""
_CALM_FOR = 0.2
"""Time for which they must stay below it [s]."""
_SAMPLES = 2
"""Minimum number of consecutive samples beyond a limit that do not count as outliers."""


class ExpectedMotion(NamedTuple):
    """Motion of the twin at one time: positions (n,) [rad or m] and velocities (n,)."""

    positions: Floats
    velocities: Floats


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference of robot and twin at one time.

    Attributes:
        time: time of the robot's measurement [s].
        joints: (n,) positions of the robot minus those of the twin [rad or m].
        lag: lag of the robot [s].
        changed: whether `deviates` has changed with this sample.
        deviates: whether robot and twin deviate.
    """

    time: float
    joints: Floats
    lag: float
    changed: bool
    deviates: bool


class Parting:
    """Detects when two motions diverge beyond their limits for more than a moment, and when they agree again.

    Args:
        limits: (n,) maximum differences, above 0.
        patience: minimum duration beyond a limit, at least two samples [s].

    Attributes:
        deviates: whether the motions have diverged.
    """

    def __init__(self, limits: Floats, patience: float = 0.0) -> None:
        self.limits, self._patience = limits, patience
        self.deviates = False
        self._beyond, self._beyond_since = 0, 0.0
        self._calm_since: float | None = None

    def update(self, time: float, differences: Floats) -> bool:
        """Add differences (n,) at a time [s], NaN if unknown; return whether `deviates` has changed."""
        share = np.abs(differences) / self.limits
        largest = float(np.nanmax(share)) if np.isfinite(share).any() else 0.0
        if not self.deviates:
            self._beyond = self._beyond + 1 if largest > 1.0 else 0
            if self._beyond <= 1:
                self._beyond_since = time
            long = time - self._beyond_since >= self._patience
            self.deviates = self._beyond >= _SAMPLES and long
            self._calm_since = None
            return self.deviates
        if largest > _CALM:
            self._calm_since = None
        elif self._calm_since is None:
            self._calm_since = time
        elif time - self._calm_since >= _CALM_FOR:
            self.deviates, self._beyond = False, 0
            return True
        return False


class Agreement:
    """Estimates the lag of a robot behind its twin, and detects when the two diverge.

    Differences are computed at the lag that fits the motion best so far: a motion that is only delayed does not
    deviate.

    Args:
        limits: (n,) maximum differences of joints [rad or m].
        patience: minimum duration beyond a limit for a deviation, at least two samples [s].
    """

    def __init__(self, limits: Floats, patience: float = 0.0) -> None:
        self._parting = Parting(limits, patience)
        self._motion, self._shift = _PRIOR_WEIGHT, _PRIOR_WEIGHT * _USUAL_LAG
        self._before: float | None = None

    @property
    def lag(self) -> float:
        """Lag of the robot behind its twin [s]."""
        return min(max(0.0, self._shift / self._motion), MAX_LAG)

    def compare(
        self, time: float, measured: Floats, expected: Callable[[float], ExpectedMotion]
    ) -> Difference:
        """Compare a measured state.

        Args:
            time: time of the measurement [s].
            measured: (n,) positions [rad or m]; NaN: not measured.
            expected: returns the twin's motion at a time [s].
        """
        lag = self.lag
        twin = expected(time - lag)
        differences = measured - twin.positions
        known = np.isfinite(differences)
        elapsed = 0.0 if self._before is None else min(max(0.0, time - self._before), 0.1)
        self._before = time
        self._update_lag(elapsed, lag, differences[known], twin.velocities[known])
        changed = self._parting.update(time, differences)
        return Difference(time, differences, lag, changed, self._parting.deviates)

    def _update_lag(
        self, elapsed: float, lag: float, differences: Floats, velocities: Floats
    ) -> None:
        """Update the least-squares estimate of the lag, which forgets exponentially and tends to the usual lag."""
        memory = _MEMORY_APART if self._parting.deviates else _MEMORY
        retained = float(np.exp(-elapsed / memory))
        motion = float(velocities @ velocities) * elapsed
        late = -float(differences @ velocities) * elapsed
        prior = (1.0 - retained) * _PRIOR_WEIGHT
        self._motion = retained * self._motion + motion + prior
        self._shift = retained * self._shift + motion * lag + late + prior * _USUAL_LAG
