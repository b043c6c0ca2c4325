"""Where futures are spent, with strategies whose worth is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hetwin_futures.strategies import FIRST, Trial, race


class Asked:
    """Answers trials with numbers of which each is a strategy's mean and a noise of its own."""

    def __init__(self, means: Sequence[float], noise: float, stop_after: int | None = None) -> None:
        self._means, self._noise, self._stop_after = means, noise, stop_after
        self.made: Counter[int] = Counter()

    def __call__(self, trials: Sequence[Trial]) -> tuple[Mapping[Trial, float], bool]:
        left = None if self._stop_after is None else self._stop_after - self.made.total()
        over = trials[:left]
        self.made.update(strategy for strategy, _ in over)
        return {trial: self._value(*trial) for trial in over}, len(over) == len(trials)

    def _value(self, strategy: int, draw: int) -> float:
        noise = float(np.random.default_rng((strategy, draw)).normal())
        return self._means[strategy] + self._noise * noise


def test_most_futures_go_to_those_that_may_be_best() -> None:
    asked = Asked([0.0, 1.0, 0.8, 0.1, 0.2, 0.05], noise=0.2)
    assert race(6, 64, asked) == 1
    assert asked.made[0] == asked.made[3] == FIRST
    assert asked.made[1] >= 2 * FIRST
    assert asked.made[2] > FIRST


def test_what_is_surely_worse_is_given_up_at_once() -> None:
    asked = Asked([1.0, 0.0, 1.0, 0.0], noise=0.0)
    assert race(4, 16, asked) == 0, "of equally good ones the first"
    assert asked.made == {0: 8, 2: 8, 1: FIRST, 3: FIRST}


def test_without_anything_brought_there_is_no_best() -> None:
    assert race(3, 8, lambda trials: ({}, True)) is None


@given(st.integers(1, 60))
def test_whenever_the_time_is_over_there_is_an_answer(enough_for: int) -> None:
    asked = Asked([0.1, 0.9, 0.2, 0.3], noise=0.0, stop_after=enough_for)
    best = race(4, 32, asked)
    assert best == (1 if enough_for >= 2 else 0)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=30), st.integers(1, 40))
def test_no_strategy_has_more_futures_than_asked_for(means: list[float], most: int) -> None:
    asked = Asked(means, noise=0.0)
    assert race(len(means), most, asked) == means.index(max(means))
    assert max(asked.made.values()) <= most
