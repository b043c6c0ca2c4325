"""Scores of probabilities against labels: decided and correct shares, ROC, Brier score and calibration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hetwin_suite.model import KNOWN_ABOVE, KNOWN_BELOW
from hetwin_suite.study import Probability, probability

BINS = 5
"""Number of bins of equal width for the calibration of claimed probabilities."""


@dataclass(frozen=True)
class Bin:
    """Claims of similar probability: their mean claimed probability, and the share of them that were true."""

    claimed: float
    true: Probability


@dataclass(frozen=True)
class Interval:
    """A score with its 95 % confidence interval, by a bootstrap over groups."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Kinds:
    """How claims miss the truth, by kind.

    Attributes:
        claimed: share of the false ones that are decided to be true.
        denied: share of the true ones that are decided to be false.
        unknown_false: share of the false ones that are not decided.
        unknown_true: share of the true ones that are not decided.
    """

    claimed: Probability
    denied: Probability
    unknown_false: Probability
    unknown_true: Probability


@dataclass(frozen=True)
class Scores:
    """Scores of probabilities against labels.

    Attributes:
        of: number of claims.
        decided: share of the claims that are decided.
        right: share of the decided claims that are right.
        sensitivity: share of the true claims with a probability above 0.5.
        specificity: share of the false claims with a probability of at most 0.5.
        auc: probability that a true claim has a higher claimed probability than a false one.
        brier: mean squared difference of probability and label; 0 is best.
        brier_base: Brier score of claiming the share of true labels every time.
        calibration_error: mean difference of claimed probability and share of true labels over the bins.
        kinds: errors by kind.
        reliability: the non-empty bins, ascending.
        wrong: indices of the claims that are decided and wrong.
    """

    of: int
    decided: Probability
    right: Probability
    sensitivity: Probability
    specificity: Probability
    auc: Interval
    brier: Interval
    brier_base: float
    calibration_error: Interval
    kinds: Kinds
    reliability: tuple[Bin, ...]
    wrong: tuple[int, ...]


def score(
    claimed: ArrayLike,
    labels: ArrayLike,
    groups: Sequence[Any] | None = None,
    seed: int = 0,
    resamples: int = 1000,
) -> Scores:
    """Score claimed probabilities against labels.

    Args:
        claimed: probabilities, shape (n,).
        labels: whether each claim is true, shape (n,).
        groups: group of each claim (an object, a robot, a night); claims of one group are resampled together.
            None: each claim is a group of its own.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.

    Raises:
        ValueError: if there is no claim, shapes differ, or a probability is not between 0 and 1.
    """
    p, y = np.asarray(claimed, dtype=np.float64), np.asarray(labels, dtype=bool)
    if p.ndim != 1 or not p.size or p.shape != y.shape:
        raise ValueError(
            f"claims {p.shape} and labels {y.shape}: expected the same number, at least one"
        )
    if not ((p >= 0.0) & (p <= 1.0)).all():
        raise ValueError("a claimed probability is not between 0 and 1")
    decided, claimed_true = (p < KNOWN_BELOW) | (p > KNOWN_ABOVE), p > 0.5
    right = claimed_true == y
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    members = [bins == number for number in range(BINS)]
    reliability = tuple(
        Bin(float(p[member].mean()), probability(int(y[member].sum()), int(member.sum())))
        for member in members
        if member.any()
    )
    samples = _resampled(groups if groups is not None else range(len(p)), len(p), seed, resamples)
    return Scores(
        len(p),
        probability(int(decided.sum()), len(p)),
        probability(int((right & decided).sum()), int(decided.sum())),
        probability(int((claimed_true & y).sum()), int(y.sum())),
        probability(int((~claimed_true & ~y).sum()), int((~y).sum())),
        _interval(lambda index: area_under_curve(p[index], y[index]), samples),
        _interval(lambda index: float(np.mean((p[index] - y[index]) ** 2)), samples),
        float(y.mean() * (1.0 - y.mean())),
        _interval(lambda index: _calibration_error(p[index], y[index]), samples),
        _kinds(p, y),
        reliability,
        tuple(np.flatnonzero(decided & ~right).tolist()),
    )


def area_under_curve(quantity: ArrayLike, labels: ArrayLike) -> float:
    """Return the probability that a true claim has the larger quantity; a tie counts half, NaN without both labels."""
    values, y = np.asarray(quantity, dtype=np.float64), np.asarray(labels, dtype=bool)
    true, others = values[y][:, None], values[~y][None, :]
    if not true.size or not others.size:
        return float("nan")
    return float(np.mean((true > others) + 0.5 * (true == others)))


def _kinds(p: NDArray[np.float64], y: NDArray[np.bool_]) -> Kinds:
    claimed, denied = p > KNOWN_ABOVE, p < KNOWN_BELOW
    unknown = ~(claimed | denied)
    pairs = ((claimed, ~y), (denied, y), (unknown, ~y), (unknown, y))
    return Kinds(
        *(probability(int((claimed_true & of).sum()), int(of.sum())) for claimed_true, of in pairs)
    )


def _calibration_error(p: NDArray[np.float64], y: NDArray[np.bool_]) -> float:
    bins = np.minimum((p * BINS).astype(int), BINS - 1)
    sums = (abs(float((p - y)[bins == number].sum())) for number in range(BINS))
    return sum(sums) / len(p)


def _resampled(
    groups: Sequence[Any], count: int, seed: int, resamples: int
) -> list[NDArray[np.int64]]:
    """Return the indices of all claims, and then those of each resample."""
    _, numbers = np.unique(np.asarray(groups), return_inverse=True)
    if numbers.shape != (count,):
        raise ValueError(f"{len(numbers)} groups for {count} claims")
    members = [np.flatnonzero(numbers == number) for number in range(numbers.max() + 1)]
    random = np.random.default_rng(seed)
    drawn = (random.integers(len(members), size=len(members)) for _ in range(resamples))
    return [
        np.arange(count),
        *(np.concatenate([members[member] for member in draw]) for draw in drawn),
    ]


def _interval(
    figure: Callable[[NDArray[np.int64]], float], samples: Sequence[NDArray[np.int64]]
) -> Interval:
    value, *others = (figure(sample) for sample in samples)
    low, high = np.nanpercentile(others, [2.5, 97.5]) if others else (value, value)
    return Interval(value, float(low), float(high))
