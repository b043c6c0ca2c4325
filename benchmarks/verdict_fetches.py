"""Motions in which a Panda fetches a box with its two fingers, drawn at random, and what may go wrong with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from verdict_motions import OPEN, Motion, Path, Vain
from verdict_robots import Cuboid, Lab

from hetwin_core.ensemble.scene.values import Floats


@dataclass(frozen=True)
class Fetch:
    """What is drawn of a motion that fetches a box.

    Attributes:
        size: of the box, the first side between the fingers [m].
        pan: turn of the first joint at the box, and how much farther it is put down [rad].
        at: distance from the base's axis and height of the point between the tips [m].
        lift: how high it is carried [m].
        squeeze: how much less than the box's width the fingers' positions say [m].
        roll: turn of the hand [rad].
    """

    size: tuple[float, float, float]
    pan: tuple[float, float]
    at: tuple[float, float]
    lift: float
    squeeze: float
    roll: float

    @classmethod
    def drawn(cls, random: np.random.Generator) -> Fetch:
        """Draw one."""
        side = float(random.choice((-1.0, 1.0)))
        sizes = [random.uniform(*span) for span in ((0.02, 0.06), (0.03, 0.06), (0.06, 0.1))]
        return cls(
            (float(sizes[0]), float(sizes[1]), float(sizes[2])),
            (float(random.uniform(-0.7, 0.7)), side * float(random.uniform(0.35, 0.7))),
            (float(random.uniform(0.42, 0.58)), float(random.uniform(0.12, 0.3))),
            float(random.uniform(0.12, 0.2)),
            float(random.uniform(0.0, 0.0005)),
            float(random.uniform(-0.5, 0.5)),
        )


def fetch(lab: Lab, drawn: Fetch, ending: str, random: np.random.Generator) -> Motion:
    """Go down, close, lift, carry, and what comes then.

    Marks: ``closed``, ``lifted`` (the box has left the ground), ``lost`` or ``opened`` (the fingers begin to close
    further, or to open), ``landed`` (the box is back on the ground), where it happens.
    """
    pan, radius, height = drawn.pan[0], *drawn.at
    low = _Column(lab, pan, drawn.roll, radius)
    down = low.between(height + drawn.lift, height)
    path = Path(down[0])
    path.wait(random.uniform(0.2, 0.4))
    path.along(down, random.uniform(0.9, 1.2))
    path.fingers(0.5 * drawn.size[0] - 0.5 * drawn.squeeze, random.uniform(0.3, 0.5))
    path.mark("closed")
    path.wait(random.uniform(0.3, 0.5))
    path.mark("lifted")
    path.along(_with_fingers(down[::-1], path.last), random.uniform(0.8, 1.1))
    _carry(path, drawn.pan[1], ending, random)
    if ending == "put down":
        _put_down(path, down, random)
    path.wait(random.uniform(0.6, 0.8))
    return Motion(path.positions(), path.marks, low.box(drawn, height))


def _carry(path: Path, way: float, ending: str, random: np.random.Generator) -> None:
    """Turn the first joint; what is planted happens on the way, and the hand stays above what has fallen."""
    begin, seconds = path.now, float(random.uniform(1.1, 1.5))
    target = path.last
    target[0] += way
    path.to(target, seconds)
    if ending not in ("slip", "drop"):
        return
    path.wait(0.8)
    at = begin + float(random.uniform(0.0, 1.0)) * seconds
    path.marks["lost" if ending == "slip" else "opened"] = at
    if ending == "slip":
        path.regrip(at, 0.0, float(random.uniform(0.1, 0.25)))
    else:
        path.regrip(at, OPEN, float(random.uniform(0.3, 0.5)))


def _put_down(path: Path, down: Floats, random: np.random.Generator) -> None:
    """Go down where the hand is, open and come back."""
    there = down.copy()
    there[:, 0] = path.last[0]
    path.along(_with_fingers(there, path.last), random.uniform(0.9, 1.1))
    path.mark("landed")
    path.wait(0.1)
    path.mark("opened")
    path.fingers(OPEN, random.uniform(0.3, 0.4))
    path.along(_with_fingers(there[::-1], path.last), random.uniform(0.8, 1.0))


def _with_fingers(knots: Floats, like: Floats) -> Floats:
    """The same with the fingers of a posture."""
    found = knots.copy()
    found[:, -2:] = like[-2:]
    return found


class _Column:
    """Postures of a Panda whose hand points down, above one another.

    Args:
        lab: of the Panda.
        pan: of its first joint [rad].
        roll: of its hand [rad].
        radius: of the point between the tips around the base [m].
    """

    def __init__(self, lab: Lab, pan: float, roll: float, radius: float) -> None:
        self._lab, self._pan, self._roll, self._radius = lab, pan, roll, radius

    def between(self, high: float, low: float) -> Floats:
        """(k, n) from a height to another one [m]."""
        bent = np.array((-0.3, -2.3))
        found = []
        for height in np.linspace(high, low, 25):
            bent = self._reach(bent, float(height))
            found.append(self._posture(bent))
        arm = np.array(found)[:, : len(self._lab.kind.home)]
        limits = self._lab.limits[: arm.shape[1]]
        if (arm < limits[:, 0] + 0.05).any() or (arm > limits[:, 1] - 0.05).any():
            raise Vain("out of reach")
        return np.array(found)

    def _posture(self, bent: Floats) -> Floats:
        shoulder, elbow = bent
        wrist = shoulder - elbow  # so that the hand points down
        arm = (self._pan, shoulder, 0.0, elbow, 0.0, wrist, np.pi / 4 + self._roll)
        return np.array((*arm, OPEN, OPEN))

    def _place(self, bent: Floats) -> Floats:
        at, _ = self._lab.point(self._posture(bent), self._lab.kind.hand[1])
        return np.array((np.hypot(at[0], at[1]), at[2]))

    def _reach(self, bent: Floats, height: float) -> Floats:
        for _ in range(30):
            here = self._place(bent)
            missing = np.array((self._radius, height)) - here
            if np.abs(missing).max() < 1e-6:
                return bent
            steps = [(self._place(bent + 1e-5 * unit) - here) / 1e-5 for unit in np.eye(2)]
            bent = bent + np.clip(np.linalg.solve(np.array(steps).T, missing), -0.2, 0.2)
        raise Vain("out of reach")

    def box(self, drawn: Fetch, height: float) -> Cuboid:
        """The box that the hand closes on: its upper end is 2.5 cm above the point between the tips."""
        bent = self._reach(np.array((-0.3, -2.3)), height)
        at, axes = self._lab.point(self._posture(bent), self._lab.kind.hand[1])
        yaw = float(np.arctan2(axes[1, 1], axes[0, 1]))
        middle = float(at[2]) + 0.025 - 0.5 * drawn.size[2]
        return Cuboid(drawn.size, (float(at[0]), float(at[1]), middle), yaw)
