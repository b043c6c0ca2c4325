"""Draws numbers and pose offsets from a scenario's uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from transforms3d.euler import euler2quat

from hetwin_core.ensemble.scenario.uncertainty import (
    Factor,
    Mixture,
    NumberSpread,
    PoseMixture,
    PoseSpread,
    Sigma,
    Spread,
    Uniform,
    Values,
)
from hetwin_core.ensemble.scene.values import Floats

SEED_LIMIT = 2**31
"""Exclusive upper bound of the seeds of runs."""


def generator(purpose: str, seed: int, index: int) -> np.random.Generator:
    """Return a generator that depends only on its arguments.

    Args:
        purpose: purpose of the draws, e.g. ``box.pose``.
        seed: seed of the batch.
        index: index of the run in the batch.
    """
    return np.random.default_rng([crc32(purpose.encode()), seed, index])


class ChangeKind(StrEnum):
    """How a drawn number changes the nominal one: added, multiplied, or in place of it."""

    PLUS = "plus"
    TIMES = "times"
    IS = "is"


class Number(NamedTuple):
    """A drawn number, or for `ChangeKind.IS` any value that the scenario lists.

    Attributes:
        how: how it changes the nominal number.
        value: the addend, factor, or new value.
        part: index of the mixture's part from which it was drawn; None without a mixture.
    """

    how: ChangeKind
    value: Any
    part: int | None = None

    def of(self, nominal: Any) -> Any:
        """Apply the draw to a nominal number."""
        match self.how:
            case ChangeKind.PLUS:
                return nominal + self.value
            case ChangeKind.TIMES:
                return nominal * self.value
        return self.value


class Shift(NamedTuple):
    """Offset of a pose from the nominal one.

    Attributes:
        position: x y z in the world frame [m].
        rpy: roll, pitch, yaw about the world's axes [rad].
        part: index of the mixture's part from which it was drawn; None without a mixture.
    """

    position: tuple[float, float, float]
    rpy: tuple[float, float, float]
    part: int | None = None

    @property
    def rotation(self) -> Floats:
        """(4,) the rotation as qw qx qy qz."""
        return np.asarray(euler2quat(*self.rpy))


def draw_number(spread: NumberSpread, random: np.random.Generator) -> Number:
    """Draw a number."""
    match spread:
        case Mixture():
            part = _choose(spread.weights, random)
            return draw_number(spread.mixture[part], random)._replace(part=part)
        case Sigma():
            return Number(ChangeKind.PLUS, random.normal(0.0, spread.sigma))
        case Factor():
            return Number(ChangeKind.TIMES, float(np.exp(random.normal(0.0, spread.factor))))
        case Uniform():
            return Number(ChangeKind.IS, _uniform(spread.between, random))
        case Values():
            weights = spread.weights or [1.0] * len(spread.values)
            return Number(ChangeKind.IS, spread.values[_choose(weights, random)])


def draw_shift(spread: PoseSpread, random: np.random.Generator) -> Shift:
    """Draw the offset of a pose."""
    if isinstance(spread, PoseMixture):
        part = _choose(spread.weights, random)
        return draw_shift(spread.mixture[part], random)._replace(part=part)
    x, y, z = random.normal(0.0, spread.sigma).tolist()
    roll, pitch, yaw = random.normal(0.0, [spread.roll, spread.pitch, spread.yaw]).tolist()
    distance, direction = _uniform(spread.away, random), random.uniform(0.0, 2.0 * np.pi)
    offset = distance * np.cos(direction), distance * np.sin(direction)
    return Shift((x + float(offset[0]), y + float(offset[1]), z), (roll, pitch, yaw))


def uncertain_axes(spread: PoseSpread) -> tuple[str, ...]:
    """Return the uncertain ones of x, y, z, roll, pitch and yaw, and ``part`` for a mixture."""
    parts = spread.mixture if isinstance(spread, PoseMixture) else [spread]
    names = {name for part in parts for name in _uncertain_names(part)}
    order = ("x", "y", "z", "roll", "pitch", "yaw")
    mixed = ("part",) if isinstance(spread, PoseMixture) else ()
    return (*(name for name in order if name in names), *mixed)


def _uncertain_names(spread: Spread) -> set[str]:
    names = {name for name, sigma in zip("xyz", spread.sigma, strict=True) if sigma > 0.0}
    names |= {name for name in ("roll", "pitch", "yaw") if getattr(spread, name) > 0.0}
    return names | ({"x", "y"} if spread.away[1] > 0.0 else set())


def _uniform(bounds: Sequence[float], random: np.random.Generator) -> float:
    return float(random.uniform(bounds[0], bounds[1]))


def _choose(weights: Sequence[float], random: np.random.Generator) -> int:
    probabilities = np.asarray(weights) / np.sum(weights)
    return int(random.choice(len(probabilities), p=probabilities))
