"""Intervals of a probability that hold however often one looks.

An interval that is right in 95 of 100 experiments of a fixed size is right far less often for who looks after each run
and stops when it pleases. The ones here are a confidence sequence: in 95 of 100 batches, however long, *all* of them
hold the truth. The wealth of a gambler who bets on the outcomes against a probability, here by a mixture of all
probabilities with Jeffreys' weights, exceeds 20 with probability 1/20 at most if that is the true one (J. Ville, 1939;
H. Robbins, 1970); the probabilities against which it does not are the interval.
"""

from __future__ import annotations

from math import ceil, lgamma, log
from typing import NamedTuple

LEVEL = 0.95
_PRIOR = 0.5
_HALVINGS = 60


class Share(NamedTuple):
    """How often something came about.

    Attributes:
        yes: how often.
        of: how many.
        low: the probability's lower bound, at a confidence of 95 %.
        high: its upper bound.
    """

    yes: int
    of: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """Of the interval."""
        return self.high - self.low


def share(yes: int, of: int, level: float = LEVEL) -> Share:
    """Return how often something came about, with its interval.

    Args:
        yes: how often it did.
        of: how many were looked at; (0, 1) is the interval of none.
        level: share of all batches in which every interval holds the truth.
    """
    if of == 0:
        return Share(0, 0, 0.0, 1.0)
    least = _log_mixture(yes, of) + log(1.0 - level)
    middle = yes / of
    low = 0.0 if yes == 0 else _bound(yes, of, least, middle, 0.0)
    high = 1.0 if yes == of else _bound(yes, of, least, middle, 1.0)
    return Share(yes, of, low, high)


def runs_to_see(probability: float, level: float = LEVEL) -> int:
    """Return how many runs show what happens with a probability at least once, in a share of all batches of them.

    That is ln(1 - e) / ln(1 - p), after Beetz and McDermott, Fast probabilistic plan debugging, ECP 1997.
    """
    return ceil(log(1.0 - level) / log(1.0 - probability))


def runs_to_narrow(width: float) -> int:
    """Return after how many runs the interval is no wider than a width, whatever comes of them."""
    few, enough = 0, 2
    while share(enough // 2, enough).width > width:
        few, enough = enough, 2 * enough
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (
            (few, middle) if share(middle // 2, middle).width <= width else (middle, enough)
        )
    return enough


def _log_mixture(yes: int, of: int) -> float:
    """Return the logarithm of the likelihood of the outcomes, in their order, under the mixture."""

    def log_beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    return log_beta(yes + _PRIOR, of - yes + _PRIOR) - log_beta(_PRIOR, _PRIOR)


def _log_likelihood(yes: int, of: int, p: float) -> float:
    return (yes * log(p) if yes else 0.0) + ((of - yes) * log(1.0 - p) if of > yes else 0.0)


def _bound(yes: int, of: int, least: float, inside: float, outside: float) -> float:
    """Return the probability between these two at which the likelihood is the least that the interval admits."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (inside + outside)
        if _log_likelihood(yes, of, middle) >= least:
            inside = middle
        else:
            outside = middle
    return outside
