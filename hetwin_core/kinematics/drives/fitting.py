"""The parameters of a drive that fit recordings best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.kinematics.drives.drive import NAMES, Drive
from hetwin_core.kinematics.drives.windows import Windows, errors_of
from hetwin_core.kinematics.least_squares import Floats, least_squares

_PLACE_M, _HEADING_RAD = 0.02, 0.02
"""Deviations at the end of ten seconds from which on they begin to be outliers."""
_LENGTH_S = 10.0
_TOLERANCE = 1e-3
"""Share of the parameters; a step that changes less is far below the deviations."""
_UNITS = {"left_radius": 0.01, "right_radius": 0.01, "base": 0.01, "lag": 0.01, "yaw_bias": 1e-3}
"""Changes that matter about equally: shares of the lengths, s, rad/s."""
_LOOSE = {"left_radius": 0.3, "right_radius": 0.3, "base": 1.0, "lag": 1.0, "yaw_bias": 0.1}
"""How far off the sheet parameters may be before that is held against them; in the same measures."""
_MOST = {"left_radius": 1.2, "right_radius": 1.2, "base": 1.6, "lag": 2.0, "yaw_bias": 0.5}
"""How far they can be off at most."""


@dataclass(frozen=True, slots=True)
class DriveFit:
    """A drive that fits, and how well it is known.

    Attributes:
        drive: that fits best.
        sd: standard deviations of its parameters by name [m, s, rad/s]; 0 for those that were kept.
    """

    drive: Drive
    sd: dict[str, float]


def fitted(
    windows: Sequence[Windows], sheet: Drive, names: Sequence[str], start: Drive | None = None
) -> DriveFit:
    """Return the drive that fits windows best.

    Args:
        windows: of recordings, all of the same length.
        sheet: the drive as it is believed to be; parameters that are not fitted are taken from it.
        names: of the parameters that are fitted.
        start: where the search begins; default: at the sheet.
    """
    sheet_values = sheet.parameters
    begin = [_measure(n, (start or sheet).parameters[n], sheet_values[n]) for n in names]
    loose = np.array([3.0 * _LOOSE[name] for name in names])

    def drive(x: Floats) -> Drive:
        values = zip(names, x.tolist(), strict=True)
        return sheet.but(**{name: _value(name, part, sheet_values[name]) for name, part in values})

    def residuals(x: Floats) -> Floats:
        return np.concatenate([scaled_errors(drive(x), windows), x / loose])

    most = np.array([_MOST[name] for name in names])
    fit = least_squares(
        residuals,
        begin,
        units=[_UNITS[name] for name in names],
        lower=-most,
        upper=most,
        groups=_groups(windows, len(names)),
        tolerance=_TOLERANCE,
    )
    best = drive(fit.parameters)
    slopes = [abs(best.parameters[n]) if n in _SHARES else 1.0 for n in names]
    sd = dict(zip(names, (fit.sd * slopes).tolist(), strict=True))
    return DriveFit(best, {name: sd.get(name, 0.0) for name in NAMES})


_SHARES = ("left_radius", "right_radius", "base")


def scaled_errors(drive: Drive, windows: Sequence[Windows]) -> Floats:
    """Return the errors at the ends of windows, by window: places, then the heading; 1 begins to be an outlier."""
    off = errors_of(drive, windows)
    parts = [off.places / _PLACE_M]
    if off.headings is not None:
        parts.append(off.headings[:, None] / _HEADING_RAD)
    lengths = np.repeat([each.length for each in windows], [len(each.places) for each in windows])
    return np.asarray(np.hstack(parts) * np.sqrt(_LENGTH_S / lengths)[:, None]).ravel()


def cost(drive: Drive, windows: Sequence[Windows]) -> float:
    """Return what a fit makes as small as it can, without what holds it to the sheet."""
    off = scaled_errors(drive, windows)
    return float(np.sum(np.sqrt(1.0 + off * off) - 1.0))


def _groups(windows: Sequence[Windows], count: int) -> Floats:
    """A number for each residual: those of windows that overlap are one, each belief about a parameter is its own."""
    width = len(scaled_errors_of_one(windows))
    groups = np.repeat(_stretches(windows), width)
    return np.concatenate([groups, groups.max() + 1.0 + np.arange(count)])


def _stretches(windows: Sequence[Windows]) -> Floats:
    """A number for each window: those of one stretch of a recording, as long as the longest of them, have the same."""
    longest = max(each.length for each in windows)
    recordings = {id(each.recording): 1e6 * i for i, each in enumerate(windows)}
    numbers = []
    for each in windows:
        times = each.recording.times
        begins = times[each.places[:, 0]] - times[0]
        numbers.append(recordings[id(each.recording)] + np.floor(begins / longest + 1e-9))
    return np.concatenate(numbers)


def scaled_errors_of_one(windows: Sequence[Windows]) -> range:
    """Return the places of the residuals of one window."""
    first = windows[0]
    return range(3 if first.recording.headings is not None else 2 * first.places.shape[1])


def _measure(name: str, value: float, sheet: float) -> float:
    return float(np.log(value / sheet)) if name in _SHARES else value - sheet


def _value(name: str, part: float, sheet: float) -> float:
    return float(sheet * np.exp(part)) if name in _SHARES else sheet + part
