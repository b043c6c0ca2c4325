"""Learns which strategy of a library suits a load.

After Tallavajhula et al. (2019), section 4.4: strategies are planned for many loads, and a classifier of many classes
picks one for a new load from what the robot sees of it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput, library_of
from hetwin_truck.planning.belief import Strategy

EXTRA = "learn"
_TREES = 200


@dataclass(frozen=True, slots=True)
class Tried:
    """One load: what the robot sees of it, and the packets per hour that each strategy of the library brings there."""

    features: tuple[float, ...]
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StrategyLibrary:
    """Strategies, and how each fared on loads of many kinds."""

    strategies: tuple[Strategy, ...]
    loads: tuple[Tried, ...]

    def few(self, most: int) -> StrategyLibrary:
        """Return it with at most so many strategies: the best single one, then always the one that helps most beside.

        Among many strategies another one is the best on each load, partly by luck, and a classifier learns little.
        """
        rates = np.array([one.rates for one in self.loads])
        kept = [best_single(self.loads)]
        while len(kept) < min(most, len(self.strategies)):
            best = rates[:, kept].max(axis=1, keepdims=True)
            brought = np.maximum(rates, best).mean(axis=0)
            brought[kept] = -np.inf
            kept.append(int(brought.argmax()))
        loads = [Tried(one.features, tuple(one.rates[i] for i in kept)) for one in self.loads]
        return StrategyLibrary(tuple(self.strategies[i] for i in kept), tuple(loads))

    def save(self, file: Path) -> None:
        """Write it as JSON."""
        loads = [{"features": one.features, "rates": one.rates} for one in self.loads]
        text = json.dumps({"strategies": self.strategies, "loads": loads}, indent=1)
        file.write_text(text + "\n", encoding="utf-8")


def read_strategy_library(file: Path) -> StrategyLibrary:
    """Read what `save` has written.

    Raises:
        BadInput: if it is no such file, or says nothing of a load or a strategy.
    """
    expected = "a file that `hetwin truck learn` has written"
    try:
        text = file.read_bytes()
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadInput(f"this file cannot be read: {why}", file=file, expected=expected) from error
    try:
        found = json.loads(text)
        strategies = tuple(tuple(map(str, one)) for one in found["strategies"])
        loads = tuple(
            Tried(tuple(map(float, one["features"])), tuple(map(float, one["rates"])))
            for one in found["loads"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            "this is no library of strategies for the truck",
            file=file,
            found=f"{error!r}",
            expected=expected,
        ) from error
    if not strategies or not loads:
        raise BadInput(
            "there is nothing to choose from",
            file=file,
            where="loads" if strategies else "strategies",
            expected="at least one",
        )
    if any(len(one.rates) != len(strategies) for one in loads):
        raise BadInput(
            "a load says nothing of some strategies",
            file=file,
            where="loads",
            expected=f"{len(strategies)} rates each",
        )
    return StrategyLibrary(strategies, loads)


class Chooser:
    """A classifier of many classes, of which each is a strategy; errors count by the packets per hour that they cost.

    Where its choices bring no more than the best single strategy, on loads that the trees have not seen, it chooses
    that one for all.

    Raises:
        BadInput: if scikit-learn is not installed.
    """

    def __init__(self, learned: StrategyLibrary, seed: int = 0) -> None:
        self._strategies = learned.strategies
        ensemble = library_of(EXTRA, "sklearn.ensemble", "choosing a strategy needs scikit-learn")
        features, classes, weights = _examples(learned.loads)
        self._forest: Any = ensemble.RandomForestClassifier(
            _TREES, random_state=seed, oob_score=True
        )
        with warnings.catch_warnings():
            # Of few loads some are in the sample of every tree.
            warnings.simplefilter("ignore", UserWarning)
            self._forest.fit(features, classes, sample_weight=weights)
        self._means = mean_rates(learned.loads)
        self._by_looks = self._tells_apart(learned.loads)

    def ranked(self, features: Sequence[float] | Floats) -> list[Strategy]:
        """Return all strategies, the one that suits a load that looks so first."""
        worth = self._means
        if self._by_looks:
            asked = np.asarray(features, np.float64)[None, :]
            # What was best nowhere is no class: it comes last.
            worth = np.full(len(self._strategies), -1.0)
            worth[self._forest.classes_.astype(int)] = self._forest.predict_proba(asked)[0]
        return [self._strategies[i] for i in np.argsort(-worth, kind="stable")]

    def _tells_apart(self, loads: Sequence[Tried]) -> bool:
        """Whether choices bring more than the best single strategy, each load being chosen for without it."""
        rates = np.array([one.rates for one in loads])
        votes = np.nan_to_num(np.atleast_2d(self._forest.oob_decision_function_))
        chosen = self._forest.classes_[votes.argmax(axis=1)].astype(int)
        brought = rates[np.arange(len(loads)), chosen]
        return bool(brought.mean() > rates[:, best_single(loads)].mean())


def _examples(loads: Sequence[Tried]) -> tuple[Floats, Floats, Floats]:
    """Return each load with the best strategy, weighted by how much worse the others are on it."""
    features = np.array([one.features for one in loads])
    rates = np.array([one.rates for one in loads])
    weights = rates.max(axis=1) - rates.mean(axis=1)
    # A load on which all strategies bring the same still says something, or nothing would be left to learn from.
    return features, rates.argmax(axis=1).astype(np.float64), weights + 1e-6


def mean_rates(loads: Sequence[Tried]) -> Floats:
    """Return what each strategy brings over all loads [packets per hour]."""
    return np.asarray(np.mean([one.rates for one in loads], axis=0), np.float64)


def best_single(loads: Sequence[Tried]) -> int:
    """Return the index of the strategy that brings most over all loads."""
    return int(mean_rates(loads).argmax())
