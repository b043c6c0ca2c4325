"""Touches: intervals in which a robot's efforts exceed those of its bodies, friction, load and offsets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hetwin_calibration.efforts.noise import deviations
from hetwin_calibration.efforts.phases import Phase, phase_of
from hetwin_calibration.efforts.split_arm import SplitArm
from hetwin_calibration.efforts.splitting import Bools
from hetwin_suite.model import Floats

SPAN_S = 0.2
"""Averaging time of the residuals [s]."""
BESIDE_S = 0.3, 0.8
"""Distances in time to the residuals before and after, both of which a touch exceeds in the same direction [s]."""
SURE = 5.0
"""Minimum excess of a touch, in standard deviations of the averaged residual at the arm's speed."""
LEAST = 2.5
"""Minimum excess of a touch, in standard deviations of single residuals."""
MERGED_S = 0.2
"""Maximum gap between touches that are merged [s]."""


@dataclass(frozen=True, slots=True)
class Touch:
    """An external push on the robot.

    Attributes:
        begin, end: times from the start of the recording [s].
        efforts: joint that feels the push -> its largest averaged effort [N m or N].
        unit: unit of the largest effort.
        phase: kind of the contact phase.
    """

    begin: float
    end: float
    efforts: dict[str, float]
    unit: str
    phase: Phase = Phase.TOUCH

    @property
    def words(self) -> str:
        """Times and largest effort as text."""
        joint = max(self.efforts, key=lambda name: abs(self.efforts[name]))
        effort = self.efforts[joint]
        return f"from {self.begin:.2f} to {self.end:.2f} s, {effort:+.3g} {self.unit} at {joint}"

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of ``--json``."""
        times = {"begin": self.begin, "end": self.end}
        return {"kind": self.phase.value, **times, "efforts": self.efforts}


def touches_of(arm: SplitArm) -> tuple[Touch, ...]:
    """Return the touches of an arm in the sampled spans of its recording."""
    samples = arm.samples
    count = max(1, round(SPAN_S / samples.period))
    mean = means(np.nan_to_num(arm.left), count)
    sure = SURE * deviations(samples, np.where(np.isfinite(arm.left), mean, np.nan))
    least = LEAST * deviations(samples, arm.left)
    felt = np.zeros(mean.shape, np.bool_)
    pushes = np.zeros(mean.shape)
    for away_s in BESIDE_S:
        away = round(away_s / samples.period)
        inside = samples.within(away + count)
        if not inside.any():
            continue
        beside = _beside(mean, away)
        beside[~inside] = 0.0
        around = [np.roll(sure, shift, axis=0) for shift in (-away, 0, away)]
        limits = np.maximum(np.max(around, axis=0), least)
        own = np.abs(beside) > np.where(np.isfinite(limits), limits, np.inf)
        pushes = np.where(own & (np.abs(beside) > np.abs(pushes)), beside, pushes)
        felt |= own
    times = samples.times - arm.begin
    return tuple(
        _touch(arm, times[rows], pushes[rows], felt[rows]) for rows in _groups(felt, times)
    )


def means(values: Floats, count: int) -> Floats:
    """Return moving averages (m, n) over `count` samples."""
    weights = np.ones(count) / count
    return np.stack([np.convolve(column, weights, "same") for column in values.T], axis=1)


def _beside(values: Floats, away: int) -> Floats:
    """Return the excess (m, n) of values over those `away` samples before and after; 0 if its signs differ."""
    before, after = values - np.roll(values, away, axis=0), values - np.roll(values, -away, axis=0)
    least = np.where(np.abs(before) < np.abs(after), before, after)
    found: Floats = np.where(before * after > 0.0, least, 0.0)
    return found


def _groups(felt: Bools, times: Floats) -> list[slice]:
    found: list[slice] = []
    for i in np.flatnonzero(felt.any(axis=1)).tolist():
        if found and times[i] - times[found[-1].stop - 1] <= MERGED_S:
            found[-1] = slice(found[-1].start, i + 1)
        else:
            found.append(slice(i, i + 1))
    return found


def _touch(arm: SplitArm, times: Floats, pushes: Floats, felt: Bools) -> Touch:
    most = np.abs(pushes).argmax(axis=0)
    efforts = {
        name: float(pushes[most[j], j]) for j, name in enumerate(arm.joints) if felt[:, j].any()
    }
    worst = max(efforts, key=lambda name: abs(efforts[name]))
    begin, end, feels = float(times[0]), float(times[-1]), np.flatnonzero(felt.any(axis=0))
    phase = phase_of(arm.samples, begin + arm.begin, end + arm.begin, feels.tolist())
    return Touch(begin, end, efforts, arm.unit(arm.joints.index(worst)), phase)
