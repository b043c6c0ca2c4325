"""Checks whether efforts are torques, and finds excursions of residuals: pulses, and steps to a new level."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from hetwin_core.ensemble.scene.values import Floats

LONGEST_PULSE_S = 1.0
"""Maximum duration of a pulse; a longer excursion is a new level [s]."""
SHORTEST_PULSE_S = 0.05
BASELINE_S, GUARD_S = 0.5, 0.2
"""The baseline is the mean over `BASELINE_S` that ends `GUARD_S` before the newest block [s]."""


class ExcursionKind(Enum):
    """Kind of an excursion."""

    PULSE = auto()
    """The residual returned to its baseline."""
    LEVEL = auto()
    """The residual stayed at a new level."""


@dataclass(frozen=True, slots=True)
class Excursion:
    """An excursion of one joint's residual from its baseline.

    Attributes:
        kind: pulse or level.
        joint: index of the joint.
        size: signed distance from the baseline as a fraction of the limit: the peak of a pulse, the last value of a
            level.
        from_ns, to_ns: start, and end of a pulse or recognition of a level [ns].
    """

    kind: ExcursionKind
    joint: int
    size: float
    from_ns: int
    to_ns: int


@dataclass(slots=True)
class _OpenExcursion:
    since_ns: int
    baseline: float
    sign: float
    peak: float


class Excursions:
    """Finds excursions in the residuals of all joints, block by block.

    An excursion starts when a residual is `least` or more away from its baseline, and ends at half of that.

    Args:
        joints: number of joints.
        period_ns: time between two rows [ns].
        least: minimum size of an excursion, as a fraction of the joint's limit.
    """

    def __init__(self, joints: int, period_ns: int, least: float) -> None:
        self._min_size = least
        guard = max(1, round(GUARD_S * 1e9 / period_ns))
        self._baseline_rows = max(1, round(BASELINE_S * 1e9 / period_ns))
        self._history = np.full((self._baseline_rows + guard, joints), np.nan)
        self._has_baseline = np.zeros(joints, np.bool_)
        self._open: dict[int, _OpenExcursion] = {}

    def add(self, times_ns: list[int], rows: Floats) -> list[Excursion]:
        """Add a block of residuals, and return the excursions that ended or became levels in it.

        Args:
            times_ns: (n) times of the rows [ns].
            rows: (n, joints) residuals as fractions of the limits, NaN where unknown.
        """
        if not self._has_baseline.all():
            self._initialize_history(rows)
        baseline = self._history[: self._baseline_rows].mean(axis=0)
        away = np.abs(rows - baseline) >= self._min_size  # never of NaN
        self._history = np.concatenate((self._history, rows))[len(rows) :]
        if not self._open and not away.any():
            return []
        found: list[Excursion] = []
        for joint in sorted({*self._open, *np.flatnonzero(away.any(axis=0)).tolist()}):
            values = rows[:, joint].tolist()
            found += self._follow(joint, float(baseline[joint]), times_ns, values)
            self._history[-len(values) :, joint] = values[-len(self._history) :]
        return found

    def _initialize_history(self, rows: Floats) -> None:
        """Fill the time before each joint's first known residual with that residual."""
        known = np.isfinite(rows)
        for joint in np.flatnonzero(known.any(axis=0) & ~self._has_baseline).tolist():
            first = int(known[:, joint].argmax())
            self._history[:, joint] = rows[:first, joint] = rows[first, joint]
            self._has_baseline[joint] = True

    def _follow(
        self, joint: int, baseline: float, times_ns: list[int], values: list[float]
    ) -> list[Excursion]:
        """Follow one joint; `values` are changed in place: excursions are replaced by the baseline."""
        found: list[Excursion] = []
        for i, (time_ns, value) in enumerate(zip(times_ns, values, strict=True)):
            excursion = self._open.get(joint)
            if excursion is None:
                deviation = value - baseline
                if abs(deviation) >= self._min_size:
                    sign = 1.0 if deviation > 0 else -1.0
                    self._open[joint] = _OpenExcursion(time_ns, baseline, sign, deviation)
                    values[i] = baseline
                continue
            deviation = value - excursion.baseline
            if deviation * excursion.sign > abs(excursion.peak):
                excursion.peak = deviation
            if not deviation * excursion.sign >= 0.5 * self._min_size:
                del self._open[joint]
                found += _pulse(joint, excursion, time_ns)
            elif time_ns - excursion.since_ns > LONGEST_PULSE_S * 1e9:
                del self._open[joint]
                found.append(
                    Excursion(ExcursionKind.LEVEL, joint, deviation, excursion.since_ns, time_ns)
                )
                self._history[:, joint] = baseline = value
                values[:i] = [value] * i
            else:
                values[i] = excursion.baseline
        return found


def _pulse(joint: int, ended: _OpenExcursion, time_ns: int) -> list[Excursion]:
    if time_ns - ended.since_ns < SHORTEST_PULSE_S * 1e9:
        return []
    return [Excursion(ExcursionKind.PULSE, joint, ended.peak, ended.since_ns, time_ns)]


FEWEST = 50
"""Minimum number of rows for a decision."""
LEAST_RATIO, MOST_RATIO = 0.3, 3.0
"""Range of the ratio of measured to expected efforts for a robot whose efforts are torques.

Real arms have 0.65 (springs that carry a part) to 1.4 (a tool that the model lacks); motor currents of a real arm
have 0.00 to 0.06.
"""
_MIN_EXPECTED = 0.005
"""Minimum root mean square of the expected efforts for a decision, as a fraction of the limits."""


class TorqueCheck:
    """Compares measured with expected efforts over all joints, each as a fraction of its limit.

    Attributes:
        decided: whether the question is decided.
        ratio: least-squares ratio of measured to expected efforts so far; NaN before any.
        is_torque: whether the measured efforts are torques (or forces); True until the decision.
    """

    def __init__(self) -> None:
        self.decided = False
        self.ratio = float("nan")
        self.is_torque = True
        self._rows = 0
        self._count = 0
        self._product = 0.0
        self._square = 0.0

    def add(self, measured: Floats, expected: Floats) -> None:
        """Add (n, joints) smoothed efforts as fractions of the limits, NaN where unknown; decides once."""
        if self.decided:
            return
        known = np.isfinite(measured) & np.isfinite(expected)
        count = int(np.count_nonzero(known))
        if not count:
            return
        m, e = measured[known], expected[known]
        self._rows += len(measured)
        self._count += count
        self._product += float(m @ e)
        self._square += float(e @ e)
        if self._square > 0.0:
            self.ratio = self._product / self._square
        enough = self._square >= _MIN_EXPECTED**2 * self._count
        self.decided = self._rows >= FEWEST and enough
        self.is_torque = not self.decided or LEAST_RATIO <= self.ratio <= MOST_RATIO
