"""When a batch has seen enough."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_suite._study.counting.confidence import Share, runs_to_narrow, runs_to_see

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
        outcomes: of the scenario.

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
