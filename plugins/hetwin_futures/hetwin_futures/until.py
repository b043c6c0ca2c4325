"""Confidence intervals of a probability that remain valid under continuous monitoring.

A 95 % interval for a fixed number of experiments is right far less often if one looks after each run and stops at will.
The intervals here form a confidence sequence: in 95 of 100 batches of any length, *all* of them contain the true
probability. A gambler bets on the outcomes against a hypothetical probability, by a mixture of all probabilities with
Jeffreys' prior. If the hypothesis is true, his wealth ever exceeds 20 with a probability of at most 1/20 (J. Ville,
1939; H. Robbins, 1970). The interval holds the probabilities against which it has not exceeded 20.
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
    """How often an outcome came about, with its confidence interval.

    Attributes:
        yes: number of runs in which it came about.
        of: number of runs.
        low: lower bound of the probability, at a confidence of 95 %.
        high: upper bound of the probability.
    """

    yes: int
    of: int
    low: float
    high: float

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low


def share(yes: int, of: int, level: float = LEVEL) -> Share:
    """Return how often an outcome came about, with its interval.

    Args:
        yes: number of runs in which it came about.
        of: number of runs; without runs the interval is (0, 1).
        level: share of all batches in which every interval contains the true probability.
    """
    if of == 0:
        return Share(0, 0, 0.0, 1.0)
    least = _log_mixture(yes, of) + log(1.0 - level)
    middle = yes / of
    low = 0.0 if yes == 0 else _bound(yes, of, least, middle, 0.0)
    high = 1.0 if yes == of else _bound(yes, of, least, middle, 1.0)
    return Share(yes, of, low, high)


def runs_to_see(probability: float, level: float = LEVEL) -> int:
    """Return the number of runs that show an event of this probability at least once, at a confidence of `level`.

    That is ln(1 - level) / ln(1 - p), after Beetz and McDermott, Fast probabilistic plan debugging,
    ECP 1997.
    """
    return ceil(log(1.0 - level) / log(1.0 - probability))


def runs_to_narrow(width: float) -> int:
    """Return the number of runs after which no interval is wider than `width`, whatever the outcomes."""
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
    """Return the log likelihood of the outcomes, in their order, under the mixture."""

    def log_beta(a: float, b: float) -> float:
        return lgamma(a) + lgamma(b) - lgamma(a + b)

    return log_beta(yes + _PRIOR, of - yes + _PRIOR) - log_beta(_PRIOR, _PRIOR)


def _log_likelihood(yes: int, of: int, p: float) -> float:
    return (yes * log(p) if yes else 0.0) + ((of - yes) * log(1.0 - p) if of > yes else 0.0)


def _bound(yes: int, of: int, least: float, inside: float, outside: float) -> float:
    """Return the probability between `inside` and `outside` at which the log likelihood falls to `least`."""
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
        text: text of the rule.
        holds: returns whether the rule is met by these outcomes.
        runs: maximum number of runs that the rule takes; None if it depends on the outcomes.
    """

    text: str
    holds: Callable[[Mapping[str, Share]], bool]
    runs: int | None = None


def read_until(text: str, outcomes: Mapping[str, str]) -> Until:
    """Parse a stopping rule.

    ``width=0.2`` ends a batch when no outcome's interval is wider. ``seen=0.1`` ends it when every event that happens
    in a tenth of all runs has been seen, at a confidence of 95 %. ``delivered>0.9`` ends it when the interval of
    `delivered` lies entirely above or entirely below 0.9.

    Args:
        text: the rule.
        outcomes: outcomes of the scenario.

    Raises:
        BadInput: if the text is no rule, or names no outcome.
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
