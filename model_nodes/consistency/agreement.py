"""Compares what a robot does with what its twin did a lag earlier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.values import Floats

MAX_LAG = 0.25
"""A robot that is further behind than this deviates [s]."""
_USUAL_LAG = 0.01
_TRUST = 0.002
"""Weight of the usual lag, as squared motion [rad^2/s] or [m^2/s]."""
_MEMORY = 3.0
"""Time after which a motion counts a third for the lag [s]."""
_MEMORY_APART = 0.5
"""The same while they deviate, which may be because the lag was not known yet."""
_CALM = 0.5
"""It agrees again below this share of the limits."""
_CALM_FOR = 0.2
"""... for so long [s]."""
_SAMPLES = 2
"""So many samples beyond a limit, one after the other, are no outlier."""


class Expected(NamedTuple):
    """Where the twin was at one time: positions (n,) [rad or m] and velocities (n,)."""

    positions: Floats
    velocities: Floats


@dataclass(frozen=True, slots=True)
class Difference:
    """Robot against twin at one time.

    Attributes:
        time: when the robot's state was measured [s].
        joints: (n,) where the robot is, less where the twin was [rad or m].
        lag: how far the robot is behind [s].
        changed: whether they have just begun to deviate, or to agree again.
        deviates: whether they deviate.
    """

    time: float
    joints: Floats
    lag: float
    changed: bool
    deviates: bool


class Parting:
    """Whether two motions have parted, beyond their limits for more than a moment, and when they are together again.

    Args:
        limits: (n,) of differences, above 0.
        patience: how long they must be beyond, two samples at least [s].

    Attributes:
        deviates: whether they have parted.
    """

    def __init__(self, limits: Floats, patience: float = 0.0) -> None:
        self.limits, self._patience = limits, patience
        self.deviates = False
        self._beyond, self._beyond_since = 0, 0.0
        self._calm_since: float | None = None

    def look(self, time: float, apart: Floats) -> bool:
        """Take note of differences (n,) at a time [s], NaN where unknown; returns whether `deviates` has changed."""
        share = np.abs(apart) / self.limits
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
    """Follows the lag of a robot behind its twin, and notices when the two part.

    The lag that fits the motion best so far is left out of the differences: what is only late does not deviate.

    Args:
        limits: (n,) how far joints may be apart [rad or m].
        patience: how long they must be further apart to deviate, two samples at least [s].
    """

    def __init__(self, limits: Floats, patience: float = 0.0) -> None:
        self._parting = Parting(limits, patience)
        self._motion, self._shift = _TRUST, _TRUST * _USUAL_LAG
        self._before: float | None = None

    @property
    def lag(self) -> float:
        """How far the robot is behind its twin [s]."""
        return min(max(0.0, self._shift / self._motion), MAX_LAG)

    def look(
        self, time: float, measured: Floats, expected: Callable[[float], Expected]
    ) -> Difference:
        """Compare a measured state.

        Args:
            time: when it was measured [s].
            measured: (n,) positions [rad or m]; NaN: not measured.
            expected: the twin at a time [s].
        """
        lag = self.lag
        there = expected(time - lag)
        apart = measured - there.positions
        known = np.isfinite(apart)
        elapsed = 0.0 if self._before is None else min(max(0.0, time - self._before), 0.1)
        self._before = time
        self._learn(elapsed, lag, apart[known], there.velocities[known])
        changed = self._parting.look(time, apart)
        return Difference(time, apart, lag, changed, self._parting.deviates)

    def _learn(self, elapsed: float, lag: float, apart: Floats, velocities: Floats) -> None:
        memory = _MEMORY_APART if self._parting.deviates else _MEMORY
        kept = float(np.exp(-elapsed / memory))
        motion = float(velocities @ velocities) * elapsed
        late = -float(apart @ velocities) * elapsed
        usual = (1.0 - kept) * _TRUST
        self._motion = kept * self._motion + motion + usual
        self._shift = kept * self._shift + motion * lag + late + usual * _USUAL_LAG
