"""Calibration of a drive by recordings: cross-validation chooses which parameters are updated, if any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hetwin_calibration.drives.choosing import (
    CANDIDATES,
    Judge,
    Judgement,
    best_of,
    learner,
    window_length,
    windows_for,
)
from hetwin_calibration.drives.drive import NAMES, Drive, Recording, learned_along, reckoned
from hetwin_calibration.drives.fitting import Windows, fitted, oriented, windows_of
from hetwin_calibration.least_squares import Floats

_SHORT_S = 10.0
"""Length of the windows from which swapped and reversed wheels are detected [s]."""
_PERIOD_S = 0.1
"""Minimum time between poses; others are dropped."""
_LEAST_TURN = 2.0
"""Minimum total rotation of a recording [rad]; with less, the base cannot be determined."""
_LITTLE_TURN = 4.0
"""Minimum total rotation for an update of the base [rad]."""
_FAR = 1.3
"""Maximum factor between the fitted base and the data sheet's without a warning."""


class TooLittle(ValueError):
    """Recordings are too short, or the robot moves too little; the message has what was found and expected."""


@dataclass(frozen=True, slots=True)
class Along:
    """The state of a Kalman filter at the end of the recordings.

    Attributes:
        drive: estimated drive.
        sd: standard deviations of radii and base by name [m].
        refused: number of true poses that the filter's gate rejected.
        judged: residuals of the drive on held-out parts.
    """

    drive: Drive
    sd: dict[str, float]
    refused: int
    judged: Judgement


@dataclass(frozen=True, slots=True)
class Calibration:
    """The result of calibrating a drive.

    Attributes:
        drive: updated drive.
        sd: standard deviations of its parameters by name; 0 for those that were kept.
        chosen: names of the parameters that were updated.
        warnings: messages for the user.
        judged: residuals of each candidate on held-out parts; the first is the data sheet.
        length: length of the windows at whose ends residuals are computed [s].
        along: result of a Kalman filter on the same data; None without headings.
    """

    drive: Drive
    sd: dict[str, float]
    chosen: tuple[str, ...]
    warnings: tuple[str, ...]
    judged: tuple[Judgement, ...]
    length: float
    along: Along | None

    @property
    def verdict(self) -> str:
        """``updated`` or ``unchanged``."""
        return "updated" if self.chosen else "unchanged"


def calibrate(recordings: Sequence[Recording], sheet: Drive) -> Calibration:
    """Calibrate a drive.

    Args:
        recordings: recordings of the same robot; if one lacks headings, headings are ignored in all.
        sheet: prior parameters, such as those of a data sheet.

    Raises:
        TooLittle: if the recordings are too short, or the robot hardly drives or turns.
    """
    known = [_thinned(recording) for recording in recordings]
    if any(recording.headings is None for recording in known):
        known = [replace(recording, headings=None) for recording in known]
    length = window_length(known)
    if length is None:
        total = sum(recording.duration for recording in known)
        raise TooLittle(
            f"the recordings last {total:.0f} s; expected at least 13 s, without pieces"
        )
    turning = _checked_turning(known, sheet)
    built, near = oriented(windows_of(known, min(_SHORT_S, length), length / 3.0), sheet)
    judge = Judge(known, length, sheet)
    judged = [
        judge.of(names, learner(built, names, near))
        for names in CANDIDATES
        if turning > _LITTLE_TURN or "base" not in names
    ]
    best = best_of(judged)
    chosen = () if best is None else best.names
    warnings = list(_of_orientation(built, sheet))
    if turning <= _LITTLE_TURN:
        warnings.append(f"the robot turns by {turning:.1f} rad: too little to know the base")
    everything = (judge.nothing(), *judged)
    if best is None:
        sd = dict.fromkeys(NAMES, 0.0)
        warnings += _of_nothing(judged, everything[0])
        along = _along(known, built, judge)
        return Calibration(sheet, sd, (), tuple(warnings), everything, length, along)
    fit = fitted(windows_for(known, length), built, chosen, near)
    warnings += _of_fit(fit.drive, fit.sd, sheet)
    along = _along(known, built.but(lag=fit.drive.lag, yaw_bias=fit.drive.yaw_bias), judge)
    return Calibration(fit.drive, fit.sd, chosen, tuple(warnings), everything, length, along)


def _along(recordings: Sequence[Recording], sheet: Drive, judge: Judge) -> Along | None:
    if any(recording.headings is None for recording in recordings):
        return None

    def learn(windows: Sequence[Windows]) -> Drive:
        parts = {id(window.recording): window.recording for window in windows}
        return learned_along(list(parts.values()), sheet).drive

    run = learned_along(recordings, sheet)
    return Along(run.drive, run.sd, run.refused, judge.of(tuple(run.sd), learn))


def _thinned(recording: Recording) -> Recording:
    """Return the recording with at most one pose in each `_PERIOD_S`."""
    slots = np.floor((recording.times - recording.times[0]) / _PERIOD_S + 1e-6)
    kept = np.concatenate([[True], np.diff(slots) > 0])
    headings = None if recording.headings is None else recording.headings[kept]
    return replace(
        recording, times=recording.times[kept], places=recording.places[kept], headings=headings
    )


def _checked_turning(recordings: Sequence[Recording], sheet: Drive) -> float:
    """Return the robot's total rotation [rad].

    Raises:
        TooLittle: if the robot hardly drives or turns.
    """
    distance = sum(_travelled(recording.places) for recording in recordings)
    if distance < 0.5:
        raise TooLittle(f"the robot drives {distance:.2f} m; expected at least 0.5 m")
    by_wheels = sum(
        _turned(reckoned(sheet, recording).headings, recording.times) for recording in recordings
    )
    known = [recording for recording in recordings if recording.headings is not None]
    truly = sum(_turned(each.headings, each.times) for each in known if each.headings is not None)
    turning = min(by_wheels, truly) if known else by_wheels
    if turning < _LEAST_TURN:
        raise TooLittle(
            f"the robot turns by {turning:.1f} rad; expected at least {_LEAST_TURN:g} rad, "
            "preferably in both directions: straight paths do not determine the base"
        )
    return turning


def _travelled(places: Floats) -> float:
    """Return the length of a path [m] in steps of at least 0.1 m, so that noise does not add up."""
    distance, last = 0.0, places[0]
    for place in places:
        step = float(np.hypot(*(place - last)))
        if step >= 0.1:
            distance, last = distance + step, place
    return distance


def _turned(headings: Floats, times: Floats) -> float:
    """Return the total rotation [rad] in steps of 5 s; steps of up to 0.15 rad count as noise."""
    at = np.arange(times[0], times[-1] + 1e-6, 5.0)
    steps = np.abs(np.diff(np.interp([*at, times[-1]], times, headings)))
    return float(np.sum(steps[steps > 0.15]))


def _of_orientation(built: Drive, sheet: Drive) -> Iterator[str]:
    if built.swapped is not sheet.swapped:
        yield "the wheels are swapped: what the recording calls left is the right wheel"
    for side in ("left", "right"):
        if built.parameters[f"{side}_radius"] * sheet.parameters[f"{side}_radius"] < 0:
            yield f"the {side} wheel's angle counts backwards: its radius is negative"


def _of_fit(drive: Drive, sd: dict[str, float], sheet: Drive) -> Iterator[str]:
    share = drive.base / sheet.base
    if not 1.0 / _FAR < share < _FAR:
        yield f"the base is {share:.2f} of what the sheet says: {drive.base:.4g} m"
    for name in ("left_radius", "right_radius", "base"):
        off = sd[name] / abs(drive.parameters[name])
        if off > 0.05:
            yield f"the {name} is uncertain: its standard deviation is {100 * off:.0f} %"


def _of_nothing(judged: Sequence[Judgement], sheet: Judgement) -> Iterator[str]:
    """Warn if an update would improve either positions or headings at the cost of the other."""
    if sheet.heading is None:
        return
    gains = [
        (each.place / sheet.place, each.heading / sheet.heading)
        for each in judged
        if each.heading is not None
    ]
    if any(min(gain) < 0.7 and max(gain) > 1.2 for gain in gains):
        yield (
            "an update would make places or headings better and the other worse: the places and "
            "the headings of the recording do not agree with each other"
        )
