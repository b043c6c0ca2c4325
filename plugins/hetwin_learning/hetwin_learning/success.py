"""Success rates of actions from episodes; actions never attempted get the rates of similar ones (see `kin`).

Each rate has a beta distribution: Jeffreys' prior, pseudo-observations with the success share of similar actions, as
many as the prior's weight, and the episodes themselves (A. Gelman et al., Bayesian Data Analysis, section 2.4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from hetwin_futures import SuccessPrior, SuccessRow, success_fits
from hetwin_learning.attempts import Attempt
from hetwin_learning.kin import similar_entities
from hetwin_learning.ranges import ranges_of
from hetwin_suite.model import Json, import_library

MAX_PRIOR_WEIGHT = 8.0
"""Maximum weight of similar actions, in episodes."""
_JEFFREYS = 0.5


class _Count(NamedTuple):
    attempts: int
    succeeded: int


def successes(
    all_attempts: Sequence[Attempt],
    qualities: Mapping[str, frozenset[str]],
    weight: float = MAX_PRIOR_WEIGHT,
) -> list[SuccessRow]:
    """Return a row for each action with its arguments, also with an object replaced by a similar one.

    Args:
        all_attempts: all attempts of all episodes.
        qualities: entity -> its tags and functional attributes, see `kin`.
        weight: maximum weight of similar actions, in episodes.
    """
    operations: dict[str, list[Attempt]] = defaultdict(list)
    for attempt in all_attempts:
        operations[attempt.action].append(attempt)
    return [
        row
        for action, attempts in operations.items()
        for row in _operation_rows(action, attempts, qualities, weight)
    ]


def _operation_rows(
    action: str, attempts: list[Attempt], qualities: Mapping[str, frozenset[str]], weight: float
) -> Iterator[SuccessRow]:
    ranges = ranges_of(attempts)
    entities = {key for attempt in attempts for key in attempt.entities}
    patterns: dict[str, dict[str, Any]] = {}
    for attempt in attempts:
        for pattern in _patterns(attempt, ranges):
            patterns[repr(sorted(pattern.items(), key=str))] = pattern
    for pattern in list(patterns.values()):
        for similar in _with_similar_entities(pattern, entities, qualities):
            patterns.setdefault(repr(sorted(similar[0].items(), key=str)), similar[0])
    for pattern in sorted(patterns.values(), key=lambda each: str(list(each.values()))):
        prior = _kin_prior(pattern, attempts, entities, qualities, weight)
        count = _count(pattern, attempts)
        if count.attempts or prior[1].source:
            yield _row(action, pattern, count, *prior)


def _patterns(
    attempt: Attempt, ranges: Mapping[str, list[dict[str, float]]]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments with each combination of ranges of the measurements."""
    names = [name for name in ranges if name in attempt.measured]
    for chosen in product(*(ranges[name] for name in names)):
        yield {**attempt.arguments, **dict(zip(names, chosen, strict=True))}


def _with_similar_entities(
    pattern: Mapping[str, Json], entities: set[str], qualities: Mapping[str, frozenset[str]]
) -> Iterator[tuple[dict[str, Any], str, float]]:
    """Yield the arguments with one entity replaced by a similar one, its name, and their Jaccard similarity."""
    for key in sorted(entities & pattern.keys()):
        for name, similarity in similar_entities(str(pattern[key]), qualities).items():
            yield {**pattern, key: name}, name, similarity


def _count(pattern: Mapping[str, Json], attempts: Sequence[Attempt]) -> _Count:
    outcomes = [attempt.succeeded for attempt in attempts if success_fits(pattern, attempt.inputs)]
    return _Count(len(outcomes), sum(outcomes))


def _kin_prior(
    pattern: Mapping[str, Json],
    attempts: Sequence[Attempt],
    entities: set[str],
    qualities: Mapping[str, frozenset[str]],
    weight: float,
) -> tuple[float, SuccessPrior]:
    """Return the success share of similar actions, weighted by similarity, and the resulting prior."""
    names, attempts_weight, succeeded = [], 0.0, 0.0
    for similar, name, similarity in _with_similar_entities(pattern, entities, qualities):
        count = _count(similar, attempts)
        if count.attempts:
            names.append(name)
            attempts_weight += similarity * count.attempts
            succeeded += similarity * count.succeeded
    prior_weight = round(min(weight, attempts_weight), 6)
    return (succeeded / attempts_weight if attempts_weight else 0.5), SuccessPrior.model_validate(
        {"from": names, "weight": prior_weight}
    )


def _row(
    action: str,
    pattern: Mapping[str, Json],
    count: _Count,
    success_share: float,
    prior: SuccessPrior,
) -> SuccessRow:
    alpha = _JEFFREYS + prior.weight * success_share + count.succeeded
    beta = _JEFFREYS + prior.weight * (1.0 - success_share) + count.attempts - count.succeeded
    inverse = import_library("learn", ("scipy.special",), "learning needs SciPy").betaincinv
    low, high = (float(inverse(alpha, beta, quantile)) for quantile in (0.025, 0.975))
    return SuccessRow(
        action=action,
        arguments=dict(pattern),
        of=count.attempts,
        succeeded=count.succeeded,
        p=alpha / (alpha + beta),
        low=low,
        high=high,
        prior=prior,
    )
