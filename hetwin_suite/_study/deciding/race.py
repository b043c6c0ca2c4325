"""Spends futures on strategies where it is still open which is best (successive halving; Karnin et al., 2013).

All strategies are tried on the same draws, so that what differs between two of them is what they do. In each round the
strategies that are left have twice as many futures; then those stay that may be best, and at most the better half.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from hetwin_suite._study.counting.mean import reach_of

FIRST = 4
"""Futures of each strategy in the first round."""

Trial = tuple[int, int]
"""The place of a strategy in the row, and the number of a draw."""
Values = Mapping[Trial, float]
"""What futures brought."""
Ask = Callable[[Sequence[Trial]], tuple[Values, bool]]
"""Makes futures; returns those that are over, and whether there is time for more."""


def race(strategies: int, most: int, ask: Ask) -> int | None:
    """Return the place of the best strategy, of equally good ones the first; None if no future brought anything.

    Args:
        strategies: how many there are.
        most: futures of each.
        ask: makes futures.
    """
    left, done = list(range(strategies)), 0
    found: dict[Trial, float] = {}
    total = min(FIRST, most)
    while done < total:
        trials = [(strategy, draw) for draw in range(done, total) for strategy in left]
        values, goes_on = ask(trials)
        found.update(values)
        if not goes_on:
            break
        done, total = total, min(2 * total, most)
        left = _who_stays(left, found)
        if len(left) == 1:
            break
    best = _ranked(left, found)[:1]
    return best[0] if best else None


def _who_stays(left: Sequence[int], found: Values) -> list[int]:
    """The better half, without those that are surely worse than the best; in their order."""
    ranked = _ranked(left, found)
    if not ranked:
        return []
    half = ranked[: (len(left) + 1) // 2]
    stays = {one for one in half if not _is_worse(one, half[0], found)}
    return [one for one in left if one in stays]


def _ranked(strategies: Iterable[int], found: Values) -> list[int]:
    """The strategies that have brought something, the best first."""
    means = {one: fmean(values) for one in strategies if (values := _of(one, found).values())}
    return sorted(means, key=lambda one: (-means[one], one))


def _of(strategy: int, found: Values) -> dict[int, float]:
    """Draw -> what a strategy brought."""
    return {draw: value for (one, draw), value in found.items() if one == strategy}


def _is_worse(strategy: int, best: int, found: Values) -> bool:
    """Whether the interval of the differences on the same draws lies below 0."""
    ours, theirs = _of(strategy, found), _of(best, found)
    less = [theirs[draw] - ours[draw] for draw in ours.keys() & theirs.keys()]
    reach = reach_of(less)
    return reach is not None and len(less) >= FIRST and fmean(less) > reach
