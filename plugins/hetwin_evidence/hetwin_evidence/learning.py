"""Calibration of one hand, from the end positions of its fingers and the forces at its wrist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from hetwin_suite.model import Floats

GRAVITY = 9.81
STILL_S = 0.3
_STILL = 0.03
"""Maximum motion of resting fingers, as a share of their travel."""
_CLOSED = 0.05
"""Minimum motion of a closing, as a share of the travel."""
_KIND = 0.05
"""Maximum difference between the ends of empty closings of one kind, as a share of the travel."""
_LEAST_TURN = 15.0
"""Minimum rotation of the wrist against gravity for an estimate of the tool's mass [deg]."""
_LARGEST_RESIDUAL = 1.0
"""Maximum RMS residual of the forces for a valid estimate of the tool's mass [N]."""


@dataclass(frozen=True)
class Motion:
    """Recorded motion and forces of a hand.

    Attributes:
        times: (n,) stamps of the finger positions [s].
        fingers: (n, joints) positions of the finger joints [rad or m].
        stamps: (m,) stamps of the wrenches [s].
        forces: (m, 3) forces in the sensor's frame [N].
        downs: (m, 3) directions of gravity in the sensor's frame.
        tactile: (k, 2) times [s] and pressures of the third highest taxel.
    """

    times: Floats
    fingers: Floats
    stamps: Floats = field(default_factory=lambda: np.zeros(0))
    forces: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    downs: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    tactile: Floats = field(default_factory=lambda: np.zeros((0, 2)))


@dataclass
class HandCalibration:
    """Calibration of a hand; None: not learned.

    Attributes:
        empty: end positions of the fingers, one list for each kind of empty closing [rad or m].
        spread: largest standard deviation of an end within a kind [rad or m]; None with one closing of each kind.
        closings: number of closings of each kind.
        shares: end of each kind, from open (0) to closed (1).
        tactile: maximum of the third highest taxel at the end of an empty closing.
        tool_mass: mass that the sensor carries, including the hand [kg].
        inverted: whether the sensor reports the force that the hand exerts.
        offset: (3,) offset of the sensor [N].
        noise: standard deviation of the forces [N].
        missing: quantities that were not learned, each with the reason.
    """

    empty: list[list[float]] = field(default_factory=list)
    spread: float | None = None
    closings: list[int] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    tactile: float | None = None
    tool_mass: float | None = None
    inverted: bool | None = None
    offset: list[float] | None = None
    noise: float | None = None
    missing: list[str] = field(default_factory=list)


def learn(motion: Motion, opened: Floats, closed: Floats) -> HandCalibration:
    """Calibrate a hand by a recording without any object.

    Args:
        motion: recorded motion; all closings are empty.
        opened: (joints,) positions of the finger joints of the open hand [rad or m].
        closed: (joints,) the same of the closed hand.
    """
    found = HandCalibration()
    travel = np.where(closed == opened, 1.0, closed - opened)
    share = (motion.fingers - opened) / travel
    ends = list(_ends(motion.times, share.mean(axis=1)))
    _learn_ends(found, motion, ends, np.abs(travel))
    found.shares = [
        round(float(np.mean((np.array(end) - opened) / travel)), 3) for end in found.empty
    ]
    _learn_tool(found, motion)
    return found


def _ends(times: Floats, share: Floats) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) of each interval in which the fingers rest after a closing."""
    begin, most_open = 0, 1.0
    for index in range(1, len(times) + 1):
        over = index == len(times)
        if not over and abs(share[index] - share[begin:index].mean()) <= _STILL:
            continue
        level = float(share[begin:index].mean())
        if times[index - 1] - times[begin] >= STILL_S:
            if level - most_open >= _CLOSED:
                yield begin, index
            most_open = level if level - most_open < _CLOSED else most_open
        begin = index


def _learn_ends(
    found: HandCalibration, motion: Motion, ends: list[tuple[int, int]], travel: Floats
) -> None:
    kinds: list[list[Floats]] = []
    for begin, end in ends:
        stopped = np.median(motion.fingers[(begin + end) // 2 : end], axis=0)
        near = (k for k in kinds if (np.abs(stopped - np.mean(k, axis=0)) / travel).max() <= _KIND)
        kind = next(near, None)
        if kind is None:
            kinds.append(kind := [])
        kind.append(stopped)
    found.empty = [[round(float(value), 5) for value in np.mean(kind, axis=0)] for kind in kinds]
    found.closings = [len(kind) for kind in kinds]
    if not ends:
        found.missing.append(
            "where empty closings end: no closing that lasts 0.3 s was seen; open the hand and close it on nothing"
        )
    elif max(found.closings) < 2:
        found.missing.append(
            "how empty closings vary: each kind was seen once; close the hand several times"
        )
    else:
        found.spread = max(float(np.std(k, axis=0, ddof=1).max()) for k in kinds if len(k) > 1)
    _learn_tactile(found, motion, ends)


def _learn_tactile(found: HandCalibration, motion: Motion, ends: list[tuple[int, int]]) -> None:
    if not len(motion.tactile):
        return
    felt = [
        motion.tactile[motion.tactile[:, 0] <= motion.times[end - 1]][-1:, 1] for _, end in ends
    ]
    pressures = np.concatenate(felt) if felt else np.zeros(0)
    found.tactile = float(pressures.max()) if len(pressures) else None


def _learn_tool(found: HandCalibration, motion: Motion) -> None:
    if len(motion.stamps) < 20:
        found.missing.append("the wrench: none was recorded in the frame of a link with this hand")
        return
    if not np.isfinite(motion.forces).all():
        found.missing.append("the wrench: it is not a number")
        return
    steps = np.diff(motion.forces, axis=0)
    found.noise = float(np.sqrt(np.median(steps**2, axis=0).mean() / 0.455 / 2.0))
    if found.noise == 0.0:
        found.missing.append("the wrench: it has no noise at all, as a sensor at its limit")
        return
    cosines = np.clip(motion.downs @ motion.downs[0], -1.0, 1.0)
    turned = float(np.degrees(np.arccos(cosines.min())))
    if turned < _LEAST_TURN:
        found.missing.append(
            f"what hangs on the sensor: the wrist turned by {turned:.0f} deg only; turn it by {_LEAST_TURN:g} or more"
        )
        return
    count = len(motion.stamps)
    rows = np.zeros((3 * count, 4))
    rows[:, 0] = motion.downs.ravel()
    rows[:, 1:] = np.tile(np.eye(3), (count, 1))
    weighed, *_ = np.linalg.lstsq(rows, motion.forces.ravel(), rcond=None)
    left = float(np.sqrt(np.mean((rows @ weighed - motion.forces.ravel()) ** 2)))
    if left > max(_LARGEST_RESIDUAL, 3.0 * found.noise):
        found.missing.append(
            f"what hangs on the sensor: no constant tool explains its forces, {left:.2f} N are left"
        )
        return
    mass = float(weighed[0]) / GRAVITY
    found.tool_mass, found.inverted = round(abs(mass), 4), mass < 0.0
    found.offset = [round(float(value), 3) for value in weighed[1:]]


def tactile_rise(pressures: ArrayLike, references: ArrayLike) -> float:
    """Return the rise of the third highest taxel above its maximum in empty closings, in the sensor's own unit.

    The third highest is used because one or two taxels of a closed hand touch its own fingers.

    Args:
        pressures: (taxels,) pressures at the end of a closing; larger is more pressed.
        references: (closings, taxels) the same of empty closings.

    Raises:
        ValueError: if there is no reference, or fewer than three taxels.
    """
    pressed, empty = (
        np.asarray(pressures, dtype=np.float64),
        np.atleast_2d(np.asarray(references, dtype=np.float64)),
    )
    if not empty.size or pressed.size < 3 or empty.shape[1] < 3:
        raise ValueError(
            f"{pressed.size} taxels and references of shape {empty.shape}: expected three taxels or more"
        )
    return float(np.sort(pressed)[-3] - np.sort(empty, axis=1)[:, -3].max())
