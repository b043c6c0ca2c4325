"""Least-squares fit of a drive's parameters to recordings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_calibration.drives.drive import NAMES, Drive, Path, Recording, reckoned
from hetwin_calibration.least_squares import Floats, least_squares

Complexes = NDArray[np.complex128]

_SAMPLES = 16
"""Number of poses of a window that are compared if headings are unknown."""
_NEAR = 1e-6
"""Tolerance of times [s]."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of one recording.

    Attributes:
        recording: the recording.
        places: (w, k) indices of the compared poses of each window, including the first and the last.
        truth: (w, k) true positions as complex numbers x + iy [m].
        headings: (w, k) true headings [rad]; None if unknown.
        length: length of each window [s].
    """

    recording: Recording
    places: NDArray[np.intp]
    truth: Complexes
    headings: Floats | None
    length: float


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors of dead reckoning at the ends of windows.

    Attributes:
        places: (w, c) position errors [m]: x and y at the ends; without headings those of all k compared poses,
            divided by sqrt(k).
        headings: (w,) heading errors [rad]; None if headings are unknown.
    """

    places: Floats
    headings: Floats | None

    @property
    def place(self) -> float:
        """RMS of the position errors [m]."""
        return float(np.sqrt(np.mean(np.sum(self.places**2, axis=1))))

    @property
    def heading(self) -> float | None:
        """RMS of the heading errors [rad]."""
        return None if self.headings is None else float(np.sqrt(np.mean(self.headings**2)))


def windows_of(recordings: Sequence[Recording], length: float, step: float) -> list[Windows]:
    """Divide recordings into windows.

    Args:
        recordings: the recordings.
        length: length of a window [s].
        step: time between the starts of windows [s].
    """
    found = []
    for recording in recordings:
        windows = _windows(recording, length, step)
        if windows is not None:
            found.append(windows)
    return found


def _windows(recording: Recording, length: float, step: float) -> Windows | None:
    times = recording.times - recording.times[0]
    begins = np.arange(0.0, times[-1] - length + _NEAR, step)
    if not len(begins):
        return None
    inside = np.linspace(0.0, length, _SAMPLES if recording.headings is None else 2)
    at = np.searchsorted(times, (begins[:, None] + inside - _NEAR).ravel())
    at = np.minimum(at, len(times) - 1).reshape(len(begins), -1)
    truth = (recording.places[:, 0] + 1j * recording.places[:, 1])[at]
    headings = None if recording.headings is None else recording.headings[at]
    return Windows(recording, at, truth, headings, length)


def errors_of(drive: Drive, windows: Sequence[Windows]) -> Errors:
    """Return the errors of dead reckoning with a drive at the ends of windows.

    If headings are unknown, each window is first aligned with the truth by a rigid motion.
    """
    off = list(_errors(drive, windows))
    places = np.concatenate([errors.places for errors in off])
    headings = [errors.headings for errors in off if errors.headings is not None]
    return Errors(places, np.concatenate(headings) if len(headings) == len(off) else None)


def _errors(drive: Drive, windows: Sequence[Windows]) -> Iterator[Errors]:
    paths: dict[int, Path] = {}  # by recording: windows of several lengths share one
    for window in windows:
        recording = window.recording
        path = paths.get(id(recording)) or reckoned(drive, recording)
        paths[id(recording)] = path
        guess, truth = path.points[window.places], window.truth
        if window.headings is None:
            yield _laid_on(guess, truth)
        else:
            turns = window.headings - path.headings[window.places]
            way = (guess[:, 1] - guess[:, 0]) * np.exp(1j * turns[:, 0])
            off = way - (truth[:, 1] - truth[:, 0])
            yield Errors(np.column_stack([off.real, off.imag]), turns[:, 0] - turns[:, 1])


def _laid_on(guess: Complexes, truth: Complexes) -> Errors:
    """Return the residuals of windows (w, k) after a rigid alignment of each with the truth."""
    guess = guess - guess.mean(axis=1, keepdims=True)
    truth = truth - truth.mean(axis=1, keepdims=True)
    turn = np.sum(truth * guess.conj(), axis=1, keepdims=True)
    size = np.abs(turn)
    off = guess * np.where(size > 0.0, turn / np.where(size > 0.0, size, 1.0), 1.0) - truth
    return Errors(np.hstack([off.real, off.imag]) / np.sqrt(off.shape[1]), None)


_BASES = (1.0, 0.7, 1.4, 0.5, 2.0, 0.35, 2.8)
"""Initial values of the base, as shares of the data sheet's."""
_CLEAR = 0.5
"""Swapped or reversed wheels are only assumed if the cost falls below this share."""
_MAX_FITS = 3
_GEOMETRY = ("left_radius", "right_radius", "base", "lag")


def oriented(windows: Sequence[Windows], sheet: Drive) -> tuple[Drive, Drive]:
    """Return the data sheet with the right order and signs of the wheels, and a drive near it that fits.

    Positions alone do not distinguish driving backwards from driving forwards. Without headings, two reversed wheels
    are therefore treated as swapped wheels.
    """
    has_headings = all(window.recording.headings is not None for window in windows)
    kinds = [_turned(sheet, kind) for kind in (_ALL if has_headings else _FROM_PLACES)]
    begins = [_near(windows, kind) for kind in kinds]
    order = sorted(range(1, len(kinds)), key=lambda i: cost(begins[i], windows))
    attempts = [0, *order[: _MAX_FITS - 1]]
    fits = {i: fitted(windows, kinds[i], _GEOMETRY, begins[i]) for i in attempts}
    costs = {i: cost(fits[i].drive, windows) for i in attempts}
    best = min(attempts, key=lambda i: costs[i])
    if costs[best] >= _CLEAR * costs[0]:
        best = 0
    return kinds[best], fits[best].drive


_ALL = tuple(itertools.product((False, True), (1.0, -1.0), (1.0, -1.0)))
"""Possible orientations: whether wheels are swapped, and the signs of the left and the right angle."""
_FROM_PLACES = (
    (False, 1.0, 1.0),
    (True, 1.0, 1.0),
    (False, -1.0, 1.0),
    (False, 1.0, -1.0),
)


def _turned(sheet: Drive, kind: tuple[bool, float, float]) -> Drive:
    swapped, left, right = kind
    return Drive(
        left * sheet.left_radius,
        right * sheet.right_radius,
        sheet.base,
        sheet.lag,
        sheet.yaw_bias,
        sheet.swapped is not swapped,
    )


def _near(windows: Sequence[Windows], drive: Drive) -> Drive:
    """Return the drive with the base among the initial values that fits best."""
    return min(
        (drive.but(base=share * drive.base) for share in _BASES), key=lambda d: cost(d, windows)
    )


_PLACE_M, _HEADING_RAD = 0.02, 0.02
"""Scales of the robust loss for errors after `_LENGTH_S`."""
_LENGTH_S = 10.0
_TOLERANCE = 1e-3
"""Relative step at which the fit has converged; far below the standard deviations."""
_UNITS = {"left_radius": 0.01, "right_radius": 0.01, "base": 0.01, "lag": 0.01, "yaw_bias": 1e-3}
"""Changes with about equal effects: relative for lengths, else in s or rad/s."""
_LOOSE = {"left_radius": 0.3, "right_radius": 0.3, "base": 1.0, "lag": 1.0, "yaw_bias": 0.1}
"""Prior standard deviations of parameters about the data sheet; log ratios for lengths, else in s or rad/s."""
_MOST = {"left_radius": 1.2, "right_radius": 1.2, "base": 1.6, "lag": 2.0, "yaw_bias": 0.5}
"""Maximum deviations from the data sheet, likewise."""


@dataclass(frozen=True, slots=True)
class DriveFit:
    """A fitted drive and its uncertainty.

    Attributes:
        drive: best fit.
        sd: standard deviations of its parameters by name [m, s, rad/s]; 0 for those that were not fitted.
    """

    drive: Drive
    sd: dict[str, float]


def fitted(
    windows: Sequence[Windows], sheet: Drive, names: Sequence[str], start: Drive | None = None
) -> DriveFit:
    """Return the drive that fits windows best.

    Args:
        windows: windows of recordings; their lengths may differ.
        sheet: prior parameters, which are kept unless they are fitted.
        names: names of the parameters that are fitted.
        start: initial parameters; default: the data sheet.
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
    """Return the errors at the ends of windows divided by the loss's scale; by window, positions then heading."""
    off = errors_of(drive, windows)
    parts = [off.places / _PLACE_M]
    if off.headings is not None:
        parts.append(off.headings[:, None] / _HEADING_RAD)
    lengths = np.repeat(
        [window.length for window in windows], [len(window.places) for window in windows]
    )
    return np.asarray(np.hstack(parts) * np.sqrt(_LENGTH_S / lengths)[:, None]).ravel()


def cost(drive: Drive, windows: Sequence[Windows]) -> float:
    """Return the robust cost of a drive, without the prior of the data sheet."""
    off = scaled_errors(drive, windows)
    return float(np.sum(np.sqrt(1.0 + off * off) - 1.0))


def _groups(windows: Sequence[Windows], count: int) -> Floats:
    """Return the group number of each residual: overlapping windows share one, each prior has its own."""
    width = len(scaled_errors_of_one(windows))
    groups = np.repeat(_stretches(windows), width)
    return np.concatenate([groups, groups.max() + 1.0 + np.arange(count)])


def _stretches(windows: Sequence[Windows]) -> Floats:
    """Return the group number of each window, by the interval (as long as the longest window) in which it starts."""
    longest = max(each.length for each in windows)
    recordings = {id(each.recording): 1e6 * i for i, each in enumerate(windows)}
    numbers = []
    for window in windows:
        times = window.recording.times
        begins = times[window.places[:, 0]] - times[0]
        numbers.append(recordings[id(window.recording)] + np.floor(begins / longest + 1e-9))
    return np.concatenate(numbers)


def scaled_errors_of_one(windows: Sequence[Windows]) -> range:
    """Return the indices of the residuals of one window."""
    first = windows[0]
    return range(3 if first.recording.headings is not None else 2 * first.places.shape[1])


def _measure(name: str, value: float, sheet: float) -> float:
    return float(np.log(value / sheet)) if name in _SHARES else value - sheet


def _value(name: str, part: float, sheet: float) -> float:
    return float(sheet * np.exp(part)) if name in _SHARES else sheet + part
