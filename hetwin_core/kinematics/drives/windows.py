"""How far dead reckoning is off the truth, over windows of the same length that begin at true poses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.drives.drive import Drive, Path, Recording, reckoned
from hetwin_core.kinematics.least_squares import Floats

Complexes = NDArray[np.complex128]

_SAMPLES = 16
"""Poses of a window that are compared where headings are not known."""
_NEAR = 1e-6
"""Times that are the same [s]."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows of one recording.

    Attributes:
        recording: whose they are.
        places: (w, k) indices of the poses of each window, the first and the last among them.
        truth: (w, k) places of the truth there, as numbers x + iy [m].
        headings: (w, k) of the truth there [rad]; None if they are not known.
        length: of each window [s].
    """

    recording: Recording
    places: NDArray[np.intp]
    truth: Complexes
    headings: Floats | None
    length: float


@dataclass(frozen=True, slots=True)
class Errors:
    """What dead reckoning is off at the ends of windows.

    Attributes:
        places: (w, c) [m]; x and y, or root mean squares along the window where headings are not known.
        headings: (w,) [rad]; None where they are not known.
    """

    places: Floats
    headings: Floats | None

    @property
    def place(self) -> float:
        """Root mean square of the distances [m]."""
        return float(np.sqrt(np.mean(np.sum(self.places**2, axis=1))))

    @property
    def heading(self) -> float | None:
        """Root mean square of the headings [rad]."""
        return None if self.headings is None else float(np.sqrt(np.mean(self.headings**2)))


def windows_of(recordings: Sequence[Recording], length: float, step: float) -> list[Windows]:
    """Return the windows of recordings.

    Args:
        recordings: to be divided.
        length: of a window [s].
        step: between the beginnings of windows [s].
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
    """Return what dead reckoning with a drive is off at the ends of windows.

    Where headings are not known, each window is laid onto the truth as well as it goes.
    """
    off = list(_errors(drive, windows))
    places = np.concatenate([each.places for each in off])
    headings = [each.headings for each in off if each.headings is not None]
    return Errors(places, np.concatenate(headings) if len(headings) == len(off) else None)


def _errors(drive: Drive, windows: Sequence[Windows]) -> Iterator[Errors]:
    paths: dict[int, Path] = {}  # of recordings, which windows of several lengths have in common
    for each in windows:
        recording = each.recording
        path = paths.get(id(recording)) or reckoned(drive, recording)
        paths[id(recording)] = path
        guess, truth = path.points[each.places], each.truth
        if each.headings is None:
            yield _laid_on(guess, truth)
        else:
            turns = each.headings - path.headings[each.places]
            way = (guess[:, 1] - guess[:, 0]) * np.exp(1j * turns[:, 0])
            off = way - (truth[:, 1] - truth[:, 0])
            yield Errors(np.column_stack([off.real, off.imag]), turns[:, 0] - turns[:, 1])


def _laid_on(guess: Complexes, truth: Complexes) -> Errors:
    """What is left of windows (w, k) after each has been moved and turned onto the truth."""
    guess = guess - guess.mean(axis=1, keepdims=True)
    truth = truth - truth.mean(axis=1, keepdims=True)
    turn = np.sum(truth * guess.conj(), axis=1, keepdims=True)
    size = np.abs(turn)
    off = guess * np.where(size > 0.0, turn / np.where(size > 0.0, size, 1.0), 1.0) - truth
    return Errors(np.hstack([off.real, off.imag]) / np.sqrt(off.shape[1]), None)
