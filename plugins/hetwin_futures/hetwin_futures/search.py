"""Searches for the smallest change that makes futures succeed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, cos, exp, pi, sin
from typing import NamedTuple

from hetwin_futures.explanation import Change
from hetwin_suite.model import BadInput, one_of
from hetwin_suite.study import (
    Draw,
    Factor,
    Mixture,
    NumberSpread,
    PoseMixture,
    Probability,
    RunResult,
    Sigma,
    UncertainParameter,
    UncertainPose,
    UncertainQuantity,
    Uncertainty,
    Uniform,
    probability,
)

SHIFTS_M = (0.008, 0.016, 0.024, 0.032, 0.04, 0.05, 0.062, 0.076, 0.092, 0.11)
"""Shifts in m that are tried, in this order."""
DIRECTIONS = 8
MIN_AMOUNT, MAX_AMOUNT = 0.25, 4.0
"""Smallest and largest change of a number, in standard deviations or half widths."""
_STEPS = 8


class Ray(NamedTuple):
    """A direction in which something can change.

    Attributes:
        change_by: amount -> the change.
        neighbours: returns the directions between this one and its neighbours; empty if there are none.
    """

    change_by: Callable[[float], Change]
    neighbours: Callable[[], Sequence[Ray]] = tuple


class Candidate(NamedTuple):
    """An entity or number that can change.

    Attributes:
        name: e.g. ``bin`` or ``ball.mass``.
        rays: directions of the change.
        amounts: amounts to try, ascending.
    """

    name: str
    rays: Sequence[Ray]
    amounts: Sequence[float]

    @property
    def steps(self) -> list[tuple[float, float]]:
        """Pairs of consecutive amounts, the first one from 0."""
        return list(pairwise((0.0, *self.amounts)))


def candidates(uncertainty: Uncertainty, requested: str) -> list[Candidate]:
    """Return the candidates for a change: positions first, then numbers.

    Args:
        uncertainty: the uncertain quantities of the scenario.
        requested: an entity, or a number such as ``ball.mass``; empty: everything uncertain.

    Raises:
        BadInput: if `requested` is not uncertain.
    """
    found = [_pose_candidate(one) for one in uncertainty.placed]
    found += [_number_candidate(one) for one in (*uncertainty.physical, *uncertainty.varied)]
    chosen = [one for one in found if requested in ("", one.name)]
    if not chosen:
        names = [one.name for one in found]
        raise BadInput(
            "the scenario does not say that this is uncertain",
            where="--change" if requested else "uncertainty",
            found=requested or "nothing",
            expected=one_of(requested, names) if names else "an uncertainty in the scenario",
        )
    return [one for one in chosen if one.rays]


def _pose_candidate(placed: UncertainPose) -> Candidate:
    axes = placed.axes
    if isinstance(placed.spread, PoseMixture):
        axes = tuple(axis for axis in axes if axis != "part")
    entity = placed.entity
    if {"x", "y"} <= {*axes}:
        rays = [_planar_ray(entity, 2 * pi * i / DIRECTIONS) for i in range(DIRECTIONS)]
    else:
        rays = [_axis_ray(entity, "xyz".index(axis), sign) for axis in axes for sign in (1, -1)]
    return Candidate(entity, rays, SHIFTS_M)


def _planar_ray(entity: str, angle: float, depth: int = 1) -> Ray:
    def change_by(amount: float) -> Change:
        return Change(entity, (amount * cos(angle), amount * sin(angle), 0.0))

    def neighbours() -> Sequence[Ray]:
        turn = pi / DIRECTIONS
        return [_planar_ray(entity, angle + sign * turn, depth - 1) for sign in (1, -1)]

    return Ray(change_by, neighbours) if depth else Ray(change_by)


def _axis_ray(entity: str, axis: int, sign: int) -> Ray:
    def change_by(amount: float) -> Change:
        shift = [0.0, 0.0, 0.0]
        shift[axis] = sign * amount
        return Change(entity, (shift[0], shift[1], shift[2]))

    return Ray(change_by)


def _number_candidate(one: UncertainQuantity | UncertainParameter) -> Candidate:
    entity = one.entity if isinstance(one, UncertainQuantity) else ""
    spread = _likeliest(one.spread)
    steps = [MIN_AMOUNT + (MAX_AMOUNT - MIN_AMOUNT) * i / (_STEPS - 1) for i in range(_STEPS)]
    # Of the physical quantities, only masses have a nominal value; see `UncertainQuantity`.
    has_nominal = isinstance(one, UncertainParameter) or one.aspect == "mass"
    match spread:
        case Sigma(sigma=sigma) if sigma > 0.0 and has_nominal:
            rays = [_additive_ray(entity, one.name, one.nominal, sign * sigma) for sign in (1, -1)]
        case Factor(factor=factor) if factor > 0.0 and has_nominal:
            rays = [
                _multiplicative_ray(entity, one.name, one.nominal, sign * factor)
                for sign in (1, -1)
            ]
        case Uniform(between=[low, high]) if high > low:
            steps = [i / _STEPS for i in range(1, _STEPS + 1)]
            middle, half = (low + high) / 2, (high - low) / 2
            rays = [_additive_ray(entity, one.name, middle, sign * half) for sign in (1, -1)]
        case _:
            rays = []
    return Candidate(one.name, rays, steps)


def _likeliest(spread: NumberSpread) -> NumberSpread:
    if not isinstance(spread, Mixture):
        return spread
    return spread.mixture[max(range(len(spread.weights)), key=spread.weights.__getitem__)]


def _additive_ray(entity: str, name: str, nominal: float, unit: float) -> Ray:
    def change_by(amount: float) -> Change:
        return Change(entity, parameter=name, before=nominal, after=nominal + amount * unit)

    return Ray(change_by)


def _multiplicative_ray(entity: str, name: str, nominal: float, unit: float) -> Ray:
    def change_by(amount: float) -> Change:
        return Change(entity, parameter=name, before=nominal, after=nominal * exp(amount * unit))

    return Ray(change_by)


SHARE = 0.9
"""A change suffices if at least this share of the futures succeed with it."""
FUTURES = 16
_FIRST_BATCH = 4
"""Number of futures that are evaluated before the others are started."""
_HALVINGS = 3
_MAX_CONFIRMED_RAYS = 2
"""Number of the best directions along which the change is enlarged until it suffices."""
_MAX_ENLARGEMENTS = 8
"""Number of amounts that are tried along a direction, the smallest sufficient one first."""


class Sufficient(NamedTuple):
    """A change that is sufficient for success.

    Attributes:
        change: the change.
        amount: amount of the change, in the unit of its candidate.
        p: share of futures that succeed with it.
        futures: futures that succeed with it.
    """

    change: Change
    amount: float
    p: Probability
    futures: Sequence[RunResult]


class Search:
    """Searches the candidates, and runs futures on demand.

    Changes are first tried alone, with all else nominal. A change that suffices is then enlarged until it also suffices
    when the scenario's uncertain quantities are drawn. All changes are evaluated on the same draws.

    Args:
        certain: (change, index) -> the draw with only the change.
        drawn: (change, number of the draw, index) -> the draw with the change and the uncertainty.
        fork: runs the futures of draws.
    """

    def __init__(
        self,
        certain: Callable[[Change, int], Draw],
        drawn: Callable[[Change, int, int], Draw],
        fork: Callable[[Sequence[Draw]], Sequence[RunResult]],
    ) -> None:
        self._certain, self._drawn, self._fork = certain, drawn, fork
        self._made = 0

    def smallest(self, candidate: Candidate, below: float = float("inf")) -> Sufficient | None:
        """Return the smallest sufficient change of a candidate; None if there is none.

        Args:
            candidate: the entity or number that changes.
            below: amounts from here on are not tried.
        """
        for before, amount in candidate.steps:
            if before >= below:
                return None
            good = self._sufficient(candidate.rays, amount)
            good += self._sufficient(_neighbours_of(good), amount)
            if good:
                least = sorted(self._narrowed(good, before, amount), key=lambda pair: pair[1])
                return self._confirmed(least, (amount - before) / 2, below)
        return None

    def _sufficient(self, rays: Sequence[Ray], amount: float) -> list[Ray]:
        """Return the rays along which this amount suffices while nothing else differs."""
        results = self._succeed([ray.change_by(amount) for ray in rays])
        return [ray for ray, good in zip(rays, results, strict=True) if good]

    def _succeed(self, changes: Sequence[Change]) -> list[bool]:
        draws = [self._certain(change, self._made + i) for i, change in enumerate(changes)]
        return [future is not None and future.succeeded for future in self._futures(draws)]

    def _futures(self, draws: Sequence[Draw]) -> list[RunResult | None]:
        self._made += len(draws)
        results = {one.index: one for one in self._fork(draws)}
        return [results.get(draw.index) for draw in draws]

    def _narrowed(self, rays: Sequence[Ray], low: float, high: float) -> list[tuple[Ray, float]]:
        """Return the smallest sufficient amount along each ray while nothing else differs."""
        bounds = [(low, high)] * len(rays)
        for _ in range(_HALVINGS):
            middles = [(one + other) / 2 for one, other in bounds]
            changes = [ray.change_by(at) for ray, at in zip(rays, middles, strict=True)]
            bounds = [
                (one, at) if good else (at, other)
                for (one, other), at, good in zip(
                    bounds, middles, self._succeed(changes), strict=True
                )
            ]
        return [(ray, high) for ray, (_, high) in zip(rays, bounds, strict=True)]

    def _confirmed(
        self, rays: Sequence[tuple[Ray, float]], step: float, below: float
    ) -> Sufficient | None:
        """Return the smallest change along the rays that suffices when the uncertain quantities are drawn."""
        best: Sufficient | None = None
        for ray, least in rays[:_MAX_CONFIRMED_RAYS] if rays else ():
            for enlargement in range(_MAX_ENLARGEMENTS):
                amount = least + enlargement * step
                if amount >= (below if best is None else best.amount):
                    break
                found = self._share(ray.change_by(amount), amount)
                if found is not None:
                    best = found
                    break
        return best

    def _share(self, change: Change, amount: float) -> Sufficient | None:
        """Return the change if it suffices; stops as soon as too many futures fail."""
        good: list[RunResult] = []
        done = 0
        for begin, end in (
            (0, _FIRST_BATCH),
            (_FIRST_BATCH, FUTURES // 2),
            (FUTURES // 2, FUTURES),
        ):
            numbers = range(begin, end)
            draws = [self._drawn(change, n, self._made + i) for i, n in enumerate(numbers)]
            good += [
                future for future in self._futures(draws) if future is not None and future.succeeded
            ]
            done = end
            if done - len(good) > FUTURES - ceil(SHARE * FUTURES):
                return None
        return Sufficient(change, amount, probability(len(good), done), tuple(good))


def _neighbours_of(rays: Sequence[Ray]) -> list[Ray]:
    """Return the neighbouring rays without duplicates."""
    found = {
        tuple(round(x, 6) for x in ray.change_by(1.0).shift): ray
        for one in rays
        for ray in one.neighbours()
    }
    return list(found.values())
