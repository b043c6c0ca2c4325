"""Motions of the two robots through free space, drawn at random, and what motions are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from verdict_robots import Cuboid, Lab

from hetwin_core.ensemble.scene.values import Floats

PERIOD_S = 0.01
OPEN = 0.04
"""Position of each finger of the open hand [m]."""
_TRIES = 60
_FASTEST = 0.6
"""Of a joint's limit of speed."""
_FINGER_SPEED = 0.2
"""Limit of a finger [m/s]."""
_STEEPEST = 1.875  # of `_eased`


class Vain(Exception):
    """What was drawn cannot be: out of reach, or something is in the way."""


@dataclass(frozen=True)
class Motion:
    """How a robot moves; m samples of n joints.

    Attributes:
        positions: (m, n) of all joints [rad or m].
        marks: when what happens [s].
        box: what is fetched, where it stands first.
    """

    positions: Floats
    marks: dict[str, float]
    box: Cuboid | None = None

    @property
    def seconds(self) -> Floats:
        """(m,) times [s]."""
        return np.array([row * PERIOD_S for row in range(len(self.positions))])


class Path:
    """Adds one stretch after the other.

    Args:
        start: (n,) first posture.
    """

    def __init__(self, start: Floats) -> None:
        self._rows = [start.reshape(1, -1)]
        self.marks: dict[str, float] = {}

    @property
    def now(self) -> float:
        """How long it is [s]."""
        return sum(len(rows) for rows in self._rows) * PERIOD_S

    @property
    def last(self) -> Floats:
        """(n,) the last posture."""
        return np.array(self._rows[-1][-1])

    def wait(self, seconds: float) -> None:
        """Stand still."""
        self.along(np.stack((self.last, self.last)), seconds)

    def to(self, posture: Floats, seconds: float) -> None:
        """Move all joints to a posture."""
        self.along(np.stack((self.last, posture)), seconds)

    def along(self, knots: Floats, seconds: float) -> None:
        """Move through postures (k, n), with a rest at both ends."""
        count = max(2, round(seconds / PERIOD_S))
        shares = _eased(np.arange(1, count + 1) / count) * (len(knots) - 1)
        columns = [np.interp(shares, np.arange(len(knots)), column) for column in knots.T]
        self._rows.append(np.stack(columns, axis=1))

    def fingers(self, position: float, seconds: float) -> None:
        """Move the two fingers, which are the last joints; no faster than they can."""
        posture = self.last
        seconds = max(seconds, _least_of_fingers(abs(position - float(posture[-1]))))
        posture[-2:] = position
        self.to(posture, seconds)

    def hand(self, positions: Sequence[float], seconds: float) -> None:
        """Move the hand's joints, which are the last ones."""
        posture = self.last
        posture[len(posture) - len(positions) :] = positions
        self.to(posture, seconds)

    def regrip(self, at: float, to: float, took: float) -> None:
        """Let the two fingers go elsewhere from a time on, in what is there already."""
        rows = self.positions()
        took = max(took, _least_of_fingers(abs(to - float(rows[round(at / PERIOD_S), -1]))))
        share = _eased(np.clip((np.arange(len(rows)) * PERIOD_S - at) / took, 0.0, 1.0))
        rows[:, -2:] += share[:, None] * (to - rows[:, -2:])
        self._rows = [rows]

    def mark(self, name: str) -> None:
        """Note the time."""
        self.marks[name] = self.now

    def positions(self) -> Floats:
        """(m, n) all of it."""
        return np.concatenate(self._rows)


def _least_of_fingers(way: float) -> float:
    """The shortest time in which a finger moves so far [s]."""
    return way * _STEEPEST / (_FASTEST * _FINGER_SPEED)


def _eased(share: Floats) -> Floats:
    """From 0 to 1 with rests at both ends."""
    eased: Floats = share**3 * (10.0 - 15.0 * share + 6.0 * share**2)
    return eased


def free(lab: Lab, random: np.random.Generator) -> Motion:
    """Through some postures around the middle of what the robot can do, and clear of itself."""
    for _ in range(_TRIES):
        motion = _wandering(lab, random)
        if all(lab.is_clear(row) for row in motion.positions[::5]):
            return motion
    raise Vain("the robot hits itself")


def _wandering(lab: Lab, random: np.random.Generator) -> Motion:
    path = Path(_posture(lab, random, lab.kind.home))
    path.wait(random.uniform(0.2, 0.6))
    closes = int(random.integers(3)) if lab.kind.fingers else 3
    for leg in range(3):
        posture = _posture(lab, random, path.last[: len(lab.kind.home)])
        posture[len(lab.kind.home) :] = path.last[len(lab.kind.home) :]
        path.to(posture, max(_least(lab, path.last, posture), float(random.uniform(0.9, 1.7))))
        path.wait(random.uniform(0.0, 0.3))
        if leg == closes:
            path.hand(lab.kind.closed, 0.5)
            path.hand(lab.kind.opened, 0.5)
    path.wait(0.3)
    return Motion(path.positions(), path.marks)


def swinging(lab: Lab, random: np.random.Generator) -> Motion:
    """One posture turned about the vertical, to and fro, and clear of itself."""
    for _ in range(_TRIES):
        path = Path(_posture(lab, random, lab.kind.home))
        path.wait(random.uniform(0.2, 0.6))
        way = float(random.choice((-1.0, 1.0)))
        for _ in range(2):
            there = path.last
            there[0] = way * random.uniform(0.5, 1.2)
            path.to(there, max(_least(lab, path.last, there), float(random.uniform(1.5, 2.5))))
            path.wait(random.uniform(0.1, 0.4))
            way = -way
        motion = Motion(path.positions(), path.marks)
        if all(lab.is_clear(row) for row in motion.positions[::5]):
            return motion
    raise Vain("the robot hits itself")


def _posture(lab: Lab, random: np.random.Generator, around: Sequence[float] | Floats) -> Floats:
    """A posture near another one, within the limits, with open fingers."""
    arm = np.array(around) + random.uniform(-0.6, 0.6, len(around))
    low, high = lab.limits[: len(arm)].T
    return np.concatenate((np.clip(arm, low + 0.1, high - 0.1), lab.kind.opened))


def _least(lab: Lab, one: Floats, other: Floats) -> float:
    """The shortest time between two postures [s]."""
    arm = len(lab.kind.home)
    ways = np.abs(one[:arm] - other[:arm]) / np.array(lab.kind.speed)
    return float(ways.max()) * _STEEPEST / _FASTEST
