"""Intervals of a probability that hold however often one looks.

An interval that is right in 95 of 100 experiments of a fixed size is right far less often for who looks after each run
and stops when it pleases. The ones here are a confidence sequence: in 95 of 100 batches, however long, *all* of them
hold the truth. The wealth of a gambler who bets on the outcomes against a probability, here by a mixture of all
probabilities with Jeffreys' weights, exceeds 20 with probability 1/20 at most if that is the true one (J. Ville, 1939;
H. Robbins, 1970); the probabilities against which it does not are the interval.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, lgamma, log
from typing import NamedTuple

from hetwin_suite.model import BadInput, one_of

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


EXPECTED = 'width=0.2, seen=0.1, or an outcome with a probability such as "delivered>0.9" or "delivered<0.5"'
_RULE = re.compile(r"\s*([A-Za-z_]\w*)\s*(=|<=|>=|<|>)\s*([0-9.eE+-]+)\s*\Z")
WIDTH, SEEN = "width", "seen"
_ABOVE, _BELOW = (">", ">="), ("<", "<=")


@dataclass(frozen=True, slots=True)
class Until:
    """A rule that ends a batch.

    Attributes:
        text: as it was given.
        holds: whether it says that these outcomes are known well enough.
        runs: that it takes at most, as far as that is known beforehand; None: it depends on what comes.
    """

    text: str
    holds: Callable[[Mapping[str, Share]], bool]
    runs: int | None = None


def read_until(text: str, outcomes: Mapping[str, str]) -> Until:
    """Return the rule of a text.

    ``width=0.2`` ends a batch when no outcome's interval is wider; ``seen=0.1`` when whatever happens in a tenth of all
    runs has been seen, at a confidence of 95 %; ``delivered>0.9`` when it is certain that the probability of
    `delivered` is above 0.9, or that it is not: when its interval is all above or all below.

    Args:
        text: the rule.
        outcomes: outcomes of the scenario.

    Raises:
        BadInput: if it is no rule, or names no outcome.
    """
    found = _RULE.match(text)
    bound = _number(found.group(3)) if found else None
    if found is None or bound is None or not 0.0 < bound < 1.0:
        raise BadInput("this is no rule", where="--until", found=text, expected=EXPECTED)
    if not outcomes:
        raise BadInput(
            "the scenario has no outcomes whose probability could be known",
            where="--until",
            found=text,
            expected="outcomes in the scenario: name -> a question",
        )
    name, sign = found.group(1), found.group(2)
    if name == WIDTH and sign in ("=", *_BELOW):
        narrow = runs_to_narrow(bound)
        return Until(text, lambda shares: all(s.width <= bound for s in shares.values()), narrow)
    if name == SEEN and sign == "=":
        enough = runs_to_see(bound)
        return Until(text, lambda shares: all(s.of >= enough for s in shares.values()), enough)
    if name not in outcomes:
        raise BadInput(
            "the scenario has no such outcome",
            where="--until",
            found=name,
            expected=one_of(name, [*outcomes, WIDTH, SEEN]),
        )
    if sign == "=":
        raise BadInput("this is no rule", where="--until", found=text, expected=EXPECTED)
    return Until(text, lambda shares: _is_apart(shares[name], bound))


def _is_apart(known: Share, bound: float) -> bool:
    return known.low > bound or known.high < bound


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
