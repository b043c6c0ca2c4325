"""Ways in which something could be different, each by more or less."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import cos, exp, pi, sin
from typing import NamedTuple

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.uncertainty import (
    Between,
    Factor,
    Mixture,
    NumberSpread,
    PoseMixture,
    Sigma,
)
from hetwin_suite._study.drawing.numbers import varied
from hetwin_suite._study.drawing.uncertain import Physical, Placed, Uncertainty, Varied
from hetwin_suite._study.explaining.change import Change

SHIFTS_M = (0.008, 0.016, 0.024, 0.032, 0.04, 0.05, 0.062, 0.076, 0.092, 0.11)
"""How far something could be elsewhere, one after the other."""
DIRECTIONS = 8
FEWEST, MOST = 0.25, 4.0
"""A number may differ by so many of its standard deviations, or half widths, at first and at most."""
_STEPS = 8


class Ray(NamedTuple):
    """One way in which something could be different.

    Attributes:
        of: an amount -> the change.
        beside: the directions between this one and its neighbours; empty if there are none.
    """

    of: Callable[[float], Change]
    beside: Callable[[], Sequence[Ray]] = tuple


class Candidate(NamedTuple):
    """Something that could be different.

    Attributes:
        name: e.g. ``bin`` or ``ball.mass``.
        rays: in which ways.
        amounts: by how much, growing.
    """

    name: str
    rays: Sequence[Ray]
    amounts: Sequence[float]

    @property
    def steps(self) -> list[tuple[float, float]]:
        """Pairs of an amount and the next one, from 0 on."""
        return list(pairwise((0.0, *self.amounts)))


def candidates(uncertainty: Uncertainty, asked: str) -> list[Candidate]:
    """Return what could be different: places first, then numbers.

    Args:
        uncertainty: what is uncertain.
        asked: an entity, or a number such as ``ball.mass``; empty: all of it.

    Raises:
        BadInput: if what is asked for is not uncertain.
    """
    found = [_place(one) for one in uncertainty.placed]
    found += [_number(one) for one in (*uncertainty.physical, *uncertainty.varied)]
    chosen = [one for one in found if asked in ("", one.name)]
    if not chosen:
        names = [one.name for one in found]
        raise BadInput(
            "the scenario does not say that this is uncertain",
            where="--change" if asked else "uncertainty",
            found=asked or "nothing",
            expected=one_of(asked, names) if names else "an uncertainty in the scenario",
        )
    return [one for one in chosen if one.rays]


def _place(placed: Placed) -> Candidate:
    axes = varied(placed.spread)
    if isinstance(placed.spread, PoseMixture):
        axes = tuple(axis for axis in axes if axis != "part")
    entity = placed.entity
    if {"x", "y"} <= {*axes}:
        rays = [_around(entity, 2 * pi * i / DIRECTIONS) for i in range(DIRECTIONS)]
    else:
        rays = [_along(entity, "xyz".index(axis), sign) for axis in axes for sign in (1, -1)]
    return Candidate(entity, rays, SHIFTS_M)


def _around(entity: str, angle: float, depth: int = 1) -> Ray:
    def of(amount: float) -> Change:
        return Change(entity, (amount * cos(angle), amount * sin(angle), 0.0))

    def beside() -> Sequence[Ray]:
        turn = pi / DIRECTIONS
        return [_around(entity, angle + sign * turn, depth - 1) for sign in (1, -1)]

    return Ray(of, beside) if depth else Ray(of)


def _along(entity: str, axis: int, sign: int) -> Ray:
    def of(amount: float) -> Change:
        shift = [0.0, 0.0, 0.0]
        shift[axis] = sign * amount
        return Change(entity, (shift[0], shift[1], shift[2]))

    return Ray(of)


def _number(one: Physical | Varied) -> Candidate:
    entity = one.entity if isinstance(one, Physical) else ""
    spread = _likeliest(one.spread)
    steps = [FEWEST + (MOST - FEWEST) * i / (_STEPS - 1) for i in range(_STEPS)]
    known = isinstance(one, Varied) or one.aspect == "mass"
    match spread:
        case Sigma(sigma=sigma) if sigma > 0.0 and known:
            rays = [_plus(entity, one.name, one.nominal, sign * sigma) for sign in (1, -1)]
        case Factor(factor=factor) if factor > 0.0 and known:
            rays = [_times(entity, one.name, one.nominal, sign * factor) for sign in (1, -1)]
        case Between(between=[low, high]) if high > low:
            steps = [i / _STEPS for i in range(1, _STEPS + 1)]
            middle, half = (low + high) / 2, (high - low) / 2
            rays = [_plus(entity, one.name, middle, sign * half) for sign in (1, -1)]
        case _:
            rays = []
    return Candidate(one.name, rays, steps)


def _likeliest(spread: NumberSpread) -> NumberSpread:
    if not isinstance(spread, Mixture):
        return spread
    return spread.mixture[max(range(len(spread.weights)), key=spread.weights.__getitem__)]


def _plus(entity: str, name: str, nominal: float, unit: float) -> Ray:
    def of(amount: float) -> Change:
        return Change(entity, parameter=name, before=nominal, after=nominal + amount * unit)

    return Ray(of)


def _times(entity: str, name: str, nominal: float, unit: float) -> Ray:
    def of(amount: float) -> Change:
        return Change(entity, parameter=name, before=nominal, after=nominal * exp(amount * unit))

    return Ray(of)
