"""What one hand needs to be known by its signals, learned from where its fingers stop and what its wrist feels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from hetwin_suite.model import Floats

GRAVITY = 9.81
STILL_S = 0.3
_STILL = 0.03
"""Fingers that stay within this share of their travel stand still."""
_CLOSED = 0.05
"""A closing goes on for this share of their travel at least."""
_KIND = 0.05
"""Empty closings that end within this share of the travel are of one kind."""
_LEAST_TURN = 15.0
"""Gravity must turn by so much in the sensor's frame before its tool can be weighed [deg]."""
_LARGEST_RESIDUAL = 1.0
"""A tool that explains forces no better than this is none [N]."""


@dataclass(frozen=True)
class Motion:
    """What a hand did and felt.

    Attributes:
        times: of the samples [s], shape (n,).
        fingers: positions of its finger joints [rad or m], shape (n, joints).
        stamps: of the wrenches [s], shape (m,).
        forces: in the sensor's frame [N], shape (m, 3).
        downs: direction of gravity in that frame, shape (m, 3).
        tactile: times [s] and pressures of the third highest taxel, shape (k, 2).
    """

    times: Floats
    fingers: Floats
    stamps: Floats = field(default_factory=lambda: np.zeros(0))
    forces: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    downs: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    tactile: Floats = field(default_factory=lambda: np.zeros((0, 2)))


@dataclass
class Learned:
    """What was learned of a hand.

    Attributes:
        empty: where its fingers stop, one list for each kind of empty closing [rad or m].
        spread: the largest standard deviation of an end within a kind [rad or m]; None with one closing of each.
        closings: how many there were of each kind.
        shares: how far each kind goes from open (0) to closed (1).
        tactile: the most that its third highest taxel had at the end of one; None: not learned.
        tool_mass: of what hangs on the sensor [kg]; None: not learned.
        inverted: whether the sensor gives what the hand exerts; None: not learned.
        offset: of the sensor [N]; None: not learned.
        noise: standard deviation of its forces [N]; None: not learned.
        missing: what was not learned, and why.
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


def learn(motion: Motion, opened: Floats, closed: Floats) -> Learned:
    """Return what a recording without any object tells of a hand.

    Args:
        motion: what it did; each closing ends on nothing.
        opened: its finger joints when it is open [rad or m], shape (joints,).
        closed: the same when it is closed.
    """
    found = Learned()
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
    """Yield the first and the last sample of each stretch in which fingers stand that have closed before."""
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
    found: Learned, motion: Motion, ends: list[tuple[int, int]], travel: Floats
) -> None:
    kinds: list[list[Floats]] = []
    for begin, end in ends:
        stopped = np.median(motion.fingers[(begin + end) // 2 : end], axis=0)
        near = (k for k in kinds if (np.abs(stopped - np.mean(k, axis=0)) / travel).max() <= _KIND)
        kind = next(near, None)
        if kind is None:
            kinds.append(kind := [])
        kind.append(stopped)
    found.empty = [[round(float(one), 5) for one in np.mean(kind, axis=0)] for kind in kinds]
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


def _learn_tactile(found: Learned, motion: Motion, ends: list[tuple[int, int]]) -> None:
    if not len(motion.tactile):
        return
    felt = [
        motion.tactile[motion.tactile[:, 0] <= motion.times[end - 1]][-1:, 1] for _, end in ends
    ]
    pressures = np.concatenate(felt) if felt else np.zeros(0)
    found.tactile = float(pressures.max()) if len(pressures) else None


def _learn_tool(found: Learned, motion: Motion) -> None:
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
    found.offset = [round(float(one), 3) for one in weighed[1:]]


def tactile_rise(pressures: ArrayLike, references: ArrayLike) -> float:
    """Return how much the third highest taxel rises above all empty closings, in the sensor's own unit.

    The third, because one or two taxels of a hand that is closed touch its own fingers.

    Args:
        pressures: of all taxels at the end of a closing, shape (taxels,); larger is more pressed.
        references: the same of empty closings, shape (closings, taxels).

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
