"""Choice of the parameters of a drive that recordings can improve, by cross-validation.

A fit of all parameters can do harm: if true positions and headings are inconsistent, it trades one for the other.
Each candidate set of parameters is therefore judged on held-out parts of the recordings.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_calibration.drives.drive import Drive, Recording
from hetwin_calibration.drives.fitting import Errors, Windows, errors_of, fitted, windows_of

Names = tuple[str, ...]
Learn = Callable[[Sequence[Windows]], Drive]
"""Fits a drive to windows."""

_WHEELS = ("left_radius", "right_radius")
CANDIDATES: tuple[Names, ...] = (
    (*_WHEELS, "base", "lag"),
    (*_WHEELS, "base"),
    (*_WHEELS, "lag"),
    ("base", "lag"),
    _WHEELS,
    ("base",),
    ("lag",),
    (*_WHEELS, "base", "lag", "yaw_bias"),
    (*_WHEELS, "base", "yaw_bias"),
    ("base", "yaw_bias"),
    ("yaw_bias",),
)
"""Sets of parameters that are updated together, in order of preference."""

LENGTHS_S = (30.0, 20.0, 10.0, 5.0, 3.0)
"""Lengths of windows, of which the first that fits is used; in shorter ones noise of the truth hides the gain."""
_STEPS = 6
"""Number of windows that start within the length of one window."""
_SHARES = (1.0 / 3.0, 2.0 / 3.0, 1.0)
"""Lengths of the windows for fits, as shares of the longest."""
_BLOCKS = 4
_GAIN = 0.9
"""Maximum share of the data sheet's errors that a useful update leaves."""
_WINS = 3
"""Minimum number of the `_BLOCKS` blocks in which an update must be better than the data sheet."""
_ALIKE = 1.05
"""Maximum ratio of the scores of candidates that count as equally good."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Residuals of a candidate on held-out parts.

    Attributes:
        names: names of the parameters that are updated.
        place: RMS of the position errors at the ends of windows [m].
        heading: RMS of the heading errors [rad]; None without headings.
        score: errors as a share of those of the data sheet.
        is_harmless: whether neither positions nor headings get worse, and most blocks get better.
    """

    names: Names
    place: float
    heading: float | None
    score: float
    is_harmless: bool


def window_length(recordings: Sequence[Recording]) -> float | None:
    """Return the longest of `LENGTHS_S` of which each block has a window [s]; None if there is none."""
    for length in LENGTHS_S:
        if all(windows_of(block, length, length) for block in blocks_of(recordings)):
            return length
    return None


def windows_for(recordings: Sequence[Recording], length: float) -> list[Windows]:
    """Return overlapping windows for a fit, of several lengths up to a maximum [s].

    Long windows show accumulated errors; short windows have relatively more noise.
    """
    return [
        windows
        for share in _SHARES
        for windows in windows_of(recordings, share * length, share * length / _STEPS)
    ]


def blocks_of(recordings: Sequence[Recording]) -> list[list[Recording]]:
    """Return `_BLOCKS` consecutive blocks of the recordings, of equal total duration."""
    total = sum(recording.duration for recording in recordings)
    edges = np.linspace(0.0, total, _BLOCKS + 1)
    return [
        list(_parts(recordings, begin, end)) for begin, end in itertools.pairwise(edges.tolist())
    ]


def _parts(recordings: Sequence[Recording], begin: float, end: float) -> Iterator[Recording]:
    before = 0.0
    for recording in recordings:
        first = recording.times[0] - before
        part = recording.between(first + begin, first + end)
        before += recording.duration
        if len(part.times) > 1:
            yield part


class Judge:
    """Judges candidates by cross-validation over blocks.

    Args:
        recordings: data of the fits.
        length: length of the windows [s].
        sheet: prior parameters, such as those of a data sheet.
    """

    def __init__(self, recordings: Sequence[Recording], length: float, sheet: Drive) -> None:
        blocks = blocks_of(recordings)
        self._held = [windows_of(block, length, length / _STEPS) for block in blocks]
        self._rest = [
            windows_for([part for other in blocks if other is not block for part in other], length)
            for block in blocks
        ]
        self._sheet = [errors_of(sheet, windows) for windows in self._held]

    def of(self, names: Names, learn: Learn) -> Judgement:
        """Judge a method of fitting, which updates the named parameters."""
        errors = [
            errors_of(learn(rest), held) for rest, held in zip(self._rest, self._held, strict=True)
        ]
        both, before = _pooled(errors), _pooled(self._sheet)
        ratios = _ratios(both, before)
        wins = sum(
            _score(mine, theirs) < 1.0 for mine, theirs in zip(errors, self._sheet, strict=True)
        )
        is_harmless = max(ratios) <= 1.0 and wins >= _WINS
        return Judgement(names, both.place, both.heading, _score(both, before), is_harmless)

    def nothing(self) -> Judgement:
        """Judge the unchanged data sheet."""
        before = _pooled(self._sheet)
        return Judgement((), before.place, before.heading, 1.0, True)


def learner(sheet: Drive, names: Names, start: Drive) -> Learn:
    """Return a function that fits some parameters of a data sheet, starting at a given drive."""
    return lambda windows: fitted(windows, sheet, names, start).drive


def best_of(judged: Sequence[Judgement]) -> Judgement | None:
    """Return the first of the useful candidates with about the best score; None if none is useful."""
    good = [candidate for candidate in judged if candidate.is_harmless and candidate.score < _GAIN]
    if not good:
        return None
    best = min(candidate.score for candidate in good)
    return next(candidate for candidate in good if candidate.score <= _ALIKE * best)


def _pooled(errors: Sequence[Errors]) -> Errors:
    headings = [error.headings for error in errors if error.headings is not None]
    return Errors(
        np.concatenate([error.places for error in errors]),
        np.concatenate(headings) if headings else None,
    )


def _ratios(errors: Errors, before: Errors) -> list[float]:
    pairs = [(errors.place, before.place)]
    if errors.heading is not None and before.heading is not None:
        pairs.append((errors.heading, before.heading))
    return [after / max(once, 1e-12) for after, once in pairs]


def _score(errors: Errors, before: Errors) -> float:
    """Return the errors as a share of those before, the geometric mean of positions and headings."""
    return float(np.exp(np.mean(np.log(np.maximum(_ratios(errors, before), 1e-12)))))
