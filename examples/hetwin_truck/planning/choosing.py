"""Learns which strategy of a library suits a load.

After Tallavajhula et al. (2019), section 4.4: strategies are planned for many loads, and a multi-class classifier
selects one for a new load from the robot's observation.
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
from hetwin_suite.runs import BadInput, import_library
from hetwin_truck.planning.belief import Strategy

EXTRA = "learn"
_TREE_COUNT = 200


@dataclass(frozen=True, slots=True)
class LoadRates:
    """A load: the features that the robot observes, and the packets per hour of each strategy of the library."""

    features: tuple[float, ...]
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StrategyLibrary:
    """Strategies, and their rates on loads of many kinds."""

    strategies: tuple[Strategy, ...]
    loads: tuple[LoadRates, ...]

    def reduced_to(self, max_count: int) -> StrategyLibrary:
        """Return the library with at most `max_count` strategies: the best one, then the most complementary ones.

        With many strategies, a different one is best on each load, partly by luck, and a classifier learns little.
        """
        rates = np.array([load.rates for load in self.loads])
        chosen = [best_single(self.loads)]
        while len(chosen) < min(max_count, len(self.strategies)):
            best = rates[:, chosen].max(axis=1, keepdims=True)
            mean_rates_with = np.maximum(rates, best).mean(axis=0)
            mean_rates_with[chosen] = -np.inf
            chosen.append(int(mean_rates_with.argmax()))
        loads = [
            LoadRates(load.features, tuple(load.rates[i] for i in chosen)) for load in self.loads
        ]
        return StrategyLibrary(tuple(self.strategies[i] for i in chosen), tuple(loads))

    def save(self, file: Path) -> None:
        """Write the library as JSON."""
        loads = [{"features": load.features, "rates": load.rates} for load in self.loads]
        text = json.dumps({"strategies": self.strategies, "loads": loads}, indent=1)
        file.write_text(text + "\n", encoding="utf-8")


def read_strategy_library(file: Path) -> StrategyLibrary:
    """Read a library written by `save`.

    Raises:
        BadInput: if the file is not a library, or lacks rates of a load.
    """
    expected = "a file written by `hetwin truck learn`"
    try:
        text = file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise BadInput(
            f"this file cannot be read: {reason}", file=file, expected=expected
        ) from error
    try:
        data = json.loads(text)
        strategies = tuple(tuple(map(str, strategy)) for strategy in data["strategies"])
        loads = tuple(
            LoadRates(tuple(map(float, load["features"])), tuple(map(float, load["rates"])))
            for load in data["loads"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            "not a library of strategies for the truck",
            file=file,
            found=f"{error!r}",
            expected=expected,
        ) from error
    if not strategies or not loads:
        raise BadInput(
            "the library is empty",
            file=file,
            where="loads" if strategies else "strategies",
            expected="at least one",
        )
    if any(len(load.rates) != len(strategies) for load in loads):
        raise BadInput(
            "a load lacks rates of some strategies",
            file=file,
            where="loads",
            expected=f"{len(strategies)} rates each",
        )
    return StrategyLibrary(strategies, loads)


class Chooser:
    """A classifier whose classes are strategies, with errors weighted by the packets per hour that they cost.

    If its choices are no better than the best single strategy, on loads left out of each tree, it chooses that strategy
    for all loads.

    Raises:
        BadInput: if scikit-learn is not installed.
    """

    def __init__(self, learned: StrategyLibrary, seed: int = 0) -> None:
        self._strategies = learned.strategies
        ensemble = import_library(
            EXTRA, "sklearn.ensemble", "choosing a strategy needs scikit-learn"
        )
        features, classes, weights = _examples(learned.loads)
        self._forest: Any = ensemble.RandomForestClassifier(
            _TREE_COUNT, random_state=seed, oob_score=True
        )
        with warnings.catch_warnings():
            # With few loads, some are in the bootstrap samples of all trees and have no out-of-bag estimate.
            warnings.simplefilter("ignore", UserWarning)
            self._forest.fit(features, classes, sample_weight=weights)
        self._means = mean_rates(learned.loads)
        self._uses_features = self._beats_best_single(learned.loads)

    def ranked(self, features: Sequence[float] | Floats) -> list[Strategy]:
        """Return all strategies, the one that suits a load with these features first."""
        scores = self._means
        if self._uses_features:
            observed = np.asarray(features, np.float64)[None, :]
            # Strategies that are not the best one on any load are not classes: they come last.
            scores = np.full(len(self._strategies), -1.0)
            scores[self._forest.classes_.astype(int)] = self._forest.predict_proba(observed)[0]
        return [self._strategies[i] for i in np.argsort(-scores, kind="stable")]

    def _beats_best_single(self, loads: Sequence[LoadRates]) -> bool:
        """Whether choices beat the best single strategy, with each load left out of the trees that choose for it."""
        rates = np.array([load.rates for load in loads])
        votes = np.nan_to_num(np.atleast_2d(self._forest.oob_decision_function_))
        chosen = self._forest.classes_[votes.argmax(axis=1)].astype(int)
        mean_rates_with = rates[np.arange(len(loads)), chosen]
        return bool(mean_rates_with.mean() > rates[:, best_single(loads)].mean())


def _examples(loads: Sequence[LoadRates]) -> tuple[Floats, Floats, Floats]:
    """Return features, best strategies and weights of the loads; a weight is the cost of the other strategies."""
    features = np.array([load.features for load in loads])
    rates = np.array([load.rates for load in loads])
    weights = rates.max(axis=1) - rates.mean(axis=1)
    # Loads on which all strategies are equal get a small weight, so that there is always something to learn from.
    return features, rates.argmax(axis=1).astype(np.float64), weights + 1e-6


def mean_rates(loads: Sequence[LoadRates]) -> Floats:
    """Return the mean rate of each strategy over all loads [packets per hour]."""
    return np.asarray(np.mean([load.rates for load in loads], axis=0), np.float64)


def best_single(loads: Sequence[LoadRates]) -> int:
    """Return the index of the strategy with the best mean rate."""
    return int(mean_rates(loads).argmax())
