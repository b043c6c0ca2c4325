"""Which parameters of a drive recordings are good for, and whether they are good for any.

A fit of everything can do harm: where places and headings of the truth do not agree, it trades one for the other. So
each choice of parameters is judged on parts of the recordings that it did not learn from.
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
"""Makes a drive from windows."""

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
"""Parameters that are updated together, those that are preferred first."""

LENGTHS_S = (30.0, 20.0, 10.0, 5.0, 3.0)
"""Of windows, the first that fits; noise of the truth hides the gain over short ones."""
_STEPS = 6
"""Windows that begin within the length of one."""
_SHARES = (1.0 / 3.0, 2.0 / 3.0, 1.0)
"""Of the longest windows."""
_BLOCKS = 4
_GAIN = 0.9
"""An update must leave less than this share of the errors."""
_WINS = 3
"""Blocks, of all, in which an update must do better."""
_ALIKE = 1.05
"""Factor within which choices are as good as each other."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Residuals of a choice of parameters on held-out parts.

    Attributes:
        names: of the parameters that are updated.
        place: root mean square of the distances at the ends of windows [m].
        heading: of the headings [rad]; None if they are not known.
        score: share of the errors of the sheet that it leaves.
        is_harmless: whether neither places nor headings get worse, and most blocks get better.
    """

    names: Names
    place: float
    heading: float | None
    score: float
    is_harmless: bool


def window_length(recordings: Sequence[Recording]) -> float | None:
    """Return how long windows can be so that each block has one [s]; None if there is no such length."""
    for length in LENGTHS_S:
        if all(windows_of(block, length, length) for block in blocks_of(recordings)):
            return length
    return None


def windows_for(recordings: Sequence[Recording], length: float) -> list[Windows]:
    """Return windows to learn from, of up to a length [s], which overlap.

    Long ones show accumulated errors, short ones hold more noise.
    """
    return [
        windows
        for share in _SHARES
        for windows in windows_of(recordings, share * length, share * length / _STEPS)
    ]


def blocks_of(recordings: Sequence[Recording]) -> list[list[Recording]]:
    """Return parts of the recordings, one after the other, of the same length altogether."""
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
    """Judges choices of parameters by cross-validation over blocks.

    Args:
        recordings: to learn from.
        length: of the windows [s].
        sheet: the drive as it is believed to be.
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
        """Judge a way to learn."""
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
        """Judge the sheet as it is."""
        before = _pooled(self._sheet)
        return Judgement((), before.place, before.heading, 1.0, True)


def learner(sheet: Drive, names: Names, start: Drive) -> Learn:
    """Return the fit of some parameters of a sheet, beginning at a drive that is near."""
    return lambda windows: fitted(windows, sheet, names, start).drive


def best_of(judged: Sequence[Judgement]) -> Judgement | None:
    """Return the choice that is worth it, the first of those that are about as good; None if none is."""
    good = [each for each in judged if each.is_harmless and each.score < _GAIN]
    if not good:
        return None
    best = min(each.score for each in good)
    return next(each for each in good if each.score <= _ALIKE * best)


def _pooled(errors: Sequence[Errors]) -> Errors:
    headings = [each.headings for each in errors if each.headings is not None]
    return Errors(
        np.concatenate([each.places for each in errors]),
        np.concatenate(headings) if headings else None,
    )


def _ratios(errors: Errors, before: Errors) -> list[float]:
    pairs = [(errors.place, before.place)]
    if errors.heading is not None and before.heading is not None:
        pairs.append((errors.heading, before.heading))
    return [after / max(once, 1e-12) for after, once in pairs]


def _score(errors: Errors, before: Errors) -> float:
    """The share of the errors that is left: the geometric mean of places and headings."""
    return float(np.exp(np.mean(np.log(np.maximum(_ratios(errors, before), 1e-12)))))
