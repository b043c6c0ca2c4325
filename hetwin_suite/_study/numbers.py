"""Draws numbers and places from a scenario's uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from transforms3d.euler import euler2quat

from hetwin_core.ensemble.scenario.uncertainty import (
    Between,
    Factor,
    Mixture,
    NumberSpread,
    PoseMixture,
    PoseSpread,
    Sigma,
    Spread,
    Values,
)
from hetwin_core.ensemble.scene.values import Floats

MOST_SEED = 2**31
"""Seeds of runs are below it."""


def generator(purpose: str, seed: int, index: int) -> np.random.Generator:
    """Return the generator of one purpose in one run: its draws depend on nothing else.

    Args:
        purpose: of the draw, e.g. ``box.pose``.
        seed: of the batch.
        index: of the run in it.
    """
    return np.random.default_rng([crc32(purpose.encode()), seed, index])


class How(StrEnum):
    """How a drawn number is used."""

    PLUS = "plus"
    TIMES = "times"
    IS = "is"


class Number(NamedTuple):
    """A drawn number: an addend to the nominal one, a factor of it, or a new one.

    Attributes:
        how: which of them.
        value: the number; with `How.IS` whatever the scenario lists.
        part: of a mixture, which part it is from; None if there is no mixture.
    """

    how: How
    value: Any
    part: int | None = None

    def of(self, nominal: Any) -> Any:
        """Return the drawn value of a nominal number."""
        match self.how:
            case How.PLUS:
                return nominal + self.value
            case How.TIMES:
                return nominal * self.value
        return self.value


class Shift(NamedTuple):
    """Offset of a pose from the nominal one.

    Attributes:
        position: x y z in the world [m].
        turn: roll, pitch, yaw about the world's axes [rad].
        part: of a mixture, which part it is from; None if there is no mixture.
    """

    position: tuple[float, float, float]
    turn: tuple[float, float, float]
    part: int | None = None

    @property
    def rotation(self) -> Floats:
        """The turn as qw qx qy qz."""
        return np.asarray(euler2quat(*self.turn))


def drawn_number(spread: NumberSpread, random: np.random.Generator) -> Number:
    """Draw a number."""
    match spread:
        case Mixture():
            part = _chosen(spread.weights, random)
            return drawn_number(spread.mixture[part], random)._replace(part=part)
        case Sigma():
            return Number(How.PLUS, random.normal(0.0, spread.sigma))
        case Factor():
            return Number(How.TIMES, float(np.exp(random.normal(0.0, spread.factor))))
        case Between():
            return Number(How.IS, _uniform(spread.between, random))
        case Values():
            weights = spread.weights or [1.0] * len(spread.values)
            return Number(How.IS, spread.values[_chosen(weights, random)])


def drawn_shift(spread: PoseSpread, random: np.random.Generator) -> Shift:
    """Draw how far a pose is off."""
    if isinstance(spread, PoseMixture):
        part = _chosen(spread.weights, random)
        return drawn_shift(spread.mixture[part], random)._replace(part=part)
    x, y, z = random.normal(0.0, spread.sigma).tolist()
    roll, pitch, yaw = random.normal(0.0, [spread.roll, spread.pitch, spread.yaw]).tolist()
    distance, direction = _uniform(spread.away, random), random.uniform(0.0, 2.0 * np.pi)
    aside = distance * np.cos(direction), distance * np.sin(direction)
    return Shift((x + float(aside[0]), y + float(aside[1]), z), (roll, pitch, yaw))


def varied(spread: PoseSpread) -> tuple[str, ...]:
    """Return which of x, y, z, roll, pitch, yaw, and of a mixture the part, are uncertain."""
    parts = spread.mixture if isinstance(spread, PoseMixture) else [spread]
    named = {name for part in parts for name in _varied(part)}
    order = ("x", "y", "z", "roll", "pitch", "yaw")
    mixed = ("part",) if isinstance(spread, PoseMixture) else ()
    return (*(name for name in order if name in named), *mixed)


def _varied(spread: Spread) -> set[str]:
    named = {name for name, sigma in zip("xyz", spread.sigma, strict=True) if sigma > 0.0}
    named |= {name for name in ("roll", "pitch", "yaw") if getattr(spread, name) > 0.0}
    return named | ({"x", "y"} if spread.away[1] > 0.0 else set())


def _uniform(bounds: Sequence[float], random: np.random.Generator) -> float:
    return float(random.uniform(bounds[0], bounds[1]))


def _chosen(weights: Sequence[float], random: np.random.Generator) -> int:
    shares = np.asarray(weights) / np.sum(weights)
    return int(random.choice(len(shares), p=shares))
