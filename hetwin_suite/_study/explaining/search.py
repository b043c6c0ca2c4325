"""Searches for the smallest change with which futures succeed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from typing import NamedTuple

from hetwin_suite._study.counting.wilson import Probability, probability
from hetwin_suite._study.drawing.draw import Draw
from hetwin_suite._study.explaining.change import Change
from hetwin_suite._study.explaining.rays import Candidate, Ray
from hetwin_suite._study.runs.run_result import RunResult

SHARE = 0.9
"""At least this share of the futures succeeds with a change that mends."""
FUTURES = 16
_FIRST = 4
"""So many futures are looked at before the rest is made."""
_HALVINGS = 3
_TRIED = 2
"""So many of the best directions are followed until they mend."""
_LONGER = 8


class Mended(NamedTuple):
    """A change that mends.

    Attributes:
        change: the change.
        amount: how large it is, in the unit of its candidate.
        p: the share of futures that succeed with it.
        futures: those that show it.
    """

    change: Change
    amount: float
    p: Probability
    futures: Sequence[RunResult]


class Search:
    """Searches among candidates, with futures as they are needed.

    At first nothing but the change differs; a change that mends so far is then made larger until it does with what is
    uncertain drawn as well. All changes are tried on the same draws.

    Args:
        certain: (change, index) -> the draw with nothing but the change.
        drawn: (change, number of the draw, index) -> the draw with what is uncertain, too.
        fork: makes futures.
    """

    def __init__(
        self,
        certain: Callable[[Change, int], Draw],
        drawn: Callable[[Change, int, int], Draw],
        fork: Callable[[Sequence[Draw]], Sequence[RunResult]],
    ) -> None:
        self._certain, self._drawn, self._fork = certain, drawn, fork
        self._made = 0

    def smallest(self, candidate: Candidate, below: float = float("inf")) -> Mended | None:
        """Return the smallest change of a candidate that mends; None if none does.

        Args:
            candidate: what could be different.
            below: larger changes are not looked for.
        """
        for before, amount in candidate.steps:
            if before >= below:
                return None
            good = self._good(candidate.rays, amount)
            good += self._good(_beside(good), amount)
            if good:
                ways = sorted(self._narrowed(good, before, amount), key=lambda way: way[1])
                return self._sure(ways, (amount - before) / 2, below)
        return None

    def _good(self, rays: Sequence[Ray], amount: float) -> list[Ray]:
        """Return the rays along which this amount mends, if nothing else differs."""
        results = self._tried([ray.of(amount) for ray in rays])
        return [ray for ray, good in zip(rays, results, strict=True) if good]

    def _tried(self, changes: Sequence[Change]) -> list[bool]:
        draws = [self._certain(change, self._made + i) for i, change in enumerate(changes)]
        return [one is not None and one.succeeded for one in self._futures(draws)]

    def _futures(self, draws: Sequence[Draw]) -> list[RunResult | None]:
        self._made += len(draws)
        found = {one.index: one for one in self._fork(draws)}
        return [found.get(draw.index) for draw in draws]

    def _narrowed(self, rays: Sequence[Ray], low: float, high: float) -> list[tuple[Ray, float]]:
        """Return the least amount along each ray that mends, if nothing else differs."""
        bounds = [(low, high)] * len(rays)
        for _ in range(_HALVINGS):
            middles = [(one + other) / 2 for one, other in bounds]
            changes = [ray.of(at) for ray, at in zip(rays, middles, strict=True)]
            bounds = [
                (one, at) if good else (at, other)
                for (one, other), at, good in zip(
                    bounds, middles, self._tried(changes), strict=True
                )
            ]
        return [(ray, high) for ray, (_, high) in zip(rays, bounds, strict=True)]

    def _sure(self, ways: Sequence[tuple[Ray, float]], step: float, below: float) -> Mended | None:
        """Return the smallest change along one of the ways that mends with what is uncertain drawn."""
        best: Mended | None = None
        for ray, least in ways[:_TRIED] if ways else ():
            for longer in range(_LONGER):
                amount = least + longer * step
                if amount >= (below if best is None else best.amount):
                    break
                found = self._share(ray.of(amount), amount)
                if found is not None:
                    best = found
                    break
        return best

    def _share(self, change: Change, amount: float) -> Mended | None:
        """Return the change if it mends; gives up as soon as too many futures fail."""
        good: list[RunResult] = []
        done = 0
        for begin, end in ((0, _FIRST), (_FIRST, FUTURES // 2), (FUTURES // 2, FUTURES)):
            numbers = range(begin, end)
            draws = [self._drawn(change, n, self._made + i) for i, n in enumerate(numbers)]
            good += [one for one in self._futures(draws) if one is not None and one.succeeded]
            done = end
            if done - len(good) > FUTURES - ceil(SHARE * FUTURES):
                return None
        return Mended(change, amount, probability(len(good), done), tuple(good))


def _beside(rays: Sequence[Ray]) -> list[Ray]:
    """Return the rays beside some, each once."""
    found = {
        tuple(round(x, 6) for x in ray.of(1.0).shift): ray for one in rays for ray in one.beside()
    }
    return list(found.values())
