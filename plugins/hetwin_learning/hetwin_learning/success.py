"""Success rates of actions from episodes; actions that were never attempted get the rates of their kin.

Each rate has a beta distribution: Jeffreys' prior, pseudo-observations with the success share of the kin, as many as
the prior's weight, and the episodes themselves (A. Gelman et al., Bayesian Data Analysis, section 2.4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from hetwin_futures import SuccessPrior, SuccessRow, success_fits
from hetwin_learning.attempts import Attempt
from hetwin_learning.kin import kin_of
from hetwin_learning.ranges import ranges_of
from hetwin_suite.model import Json, library_of

WEIGHT = 8.0
"""Maximum number of episodes that kin count for."""
_JEFFREYS = 0.5


class _Count(NamedTuple):
    of: int
    succeeded: int


def successes(
    tried: Sequence[Attempt], qualities: Mapping[str, frozenset[str]], weight: float = WEIGHT
) -> list[SuccessRow]:
    """Return a row for each action with its arguments, also for arguments exchanged by their kin.

    Args:
        tried: all attempts of all episodes.
        qualities: entity -> its tags and functional attributes, see `kin`.
        weight: maximum number of episodes that kin count for.
    """
    operations: dict[str, list[Attempt]] = defaultdict(list)
    for one in tried:
        operations[one.action].append(one)
    return [
        row
        for action, ones in operations.items()
        for row in _of_operation(action, ones, qualities, weight)
    ]


def _of_operation(
    action: str, tried: list[Attempt], qualities: Mapping[str, frozenset[str]], weight: float
) -> Iterator[SuccessRow]:
    ranges = ranges_of(tried)
    entities = {key for one in tried for key in one.entities}
    patterns: dict[str, dict[str, Any]] = {}
    for one in tried:
        for pattern in _patterns(one, ranges):
            patterns[repr(sorted(pattern.items(), key=str))] = pattern
    for pattern in list(patterns.values()):
        for other in _exchanged(pattern, entities, qualities):
            patterns.setdefault(repr(sorted(other[0].items(), key=str)), other[0])
    for pattern in sorted(patterns.values(), key=lambda one: str(list(one.values()))):
        kin = _kin_prior(pattern, tried, entities, qualities, weight)
        count = _count(pattern, tried)
        if count.of or kin[1].source:
            yield _row(action, pattern, count, *kin)


def _patterns(
    one: Attempt, ranges: Mapping[str, list[dict[str, float]]]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments with each combination of ranges of the measurements."""
    names = [name for name in ranges if name in one.measured]
    for chosen in product(*(ranges[name] for name in names)):
        yield {**one.arguments, **dict(zip(names, chosen, strict=True))}


def _exchanged(
    pattern: Mapping[str, Json], entities: set[str], qualities: Mapping[str, frozenset[str]]
) -> Iterator[tuple[dict[str, Any], str, float]]:
    """Yield the arguments with one entity exchanged for its kin, the name of the kin, and its Jaccard index."""
    for key in sorted(entities & pattern.keys()):
        for name, share in kin_of(str(pattern[key]), qualities).items():
            yield {**pattern, key: name}, name, share


def _count(pattern: Mapping[str, Json], tried: Sequence[Attempt]) -> _Count:
    found = [one.succeeded for one in tried if success_fits(pattern, one.known)]
    return _Count(len(found), sum(found))


def _kin_prior(
    pattern: Mapping[str, Json],
    tried: Sequence[Attempt],
    entities: set[str],
    qualities: Mapping[str, frozenset[str]],
    weight: float,
) -> tuple[float, SuccessPrior]:
    """Return the success share of the kin, weighted by their Jaccard indices, and the prior that it makes."""
    names, of, succeeded = [], 0.0, 0.0
    for other, name, share in _exchanged(pattern, entities, qualities):
        count = _count(other, tried)
        if count.of:
            names.append(name)
            of += share * count.of
            succeeded += share * count.succeeded
    counts = round(min(weight, of), 6)
    return (succeeded / of if of else 0.5), SuccessPrior.model_validate(
        {"from": names, "weight": counts}
    )


def _row(
    action: str, pattern: Mapping[str, Json], count: _Count, share: float, prior: SuccessPrior
) -> SuccessRow:
    yes = _JEFFREYS + prior.weight * share + count.succeeded
    no = _JEFFREYS + prior.weight * (1.0 - share) + count.of - count.succeeded
    beta = library_of("learn", ("scipy.special",), "learning needs SciPy").betaincinv
    low, high = (float(beta(yes, no, quantile)) for quantile in (0.025, 0.975))
    return SuccessRow(
        action=action,
        arguments=dict(pattern),
        of=count.of,
        succeeded=count.succeeded,
        p=yes / (yes + no),
        low=low,
        high=high,
        prior=prior,
    )
