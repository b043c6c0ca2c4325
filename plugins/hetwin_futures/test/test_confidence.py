"""Intervals that hold however often one looks."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_futures.until import Share, read_until, runs_to_narrow, runs_to_see, share


def test_nothing_is_known_of_nothing() -> None:
    assert share(0, 0) == Share(0, 0, 0.0, 1.0)


def test_the_interval_surrounds_the_share_and_shrinks() -> None:
    few, many = share(3, 10), share(300, 1000)
    assert few.low < 0.3 < few.high
    assert few.low < many.low < 0.3 < many.high < few.high
    assert many.width < 0.15


def test_what_always_happens_may_be_certain() -> None:
    assert share(20, 20).high == 1.0
    assert 0.6 < share(20, 20).low < 0.9
    assert share(0, 20).low == 0.0
    assert share(0, 20).high == pytest.approx(1.0 - share(20, 20).low)


@pytest.mark.parametrize("truth", [0.05, 0.5, 0.8])
def test_all_intervals_of_a_batch_hold_the_truth_in_most_batches(truth: float) -> None:
    """A look after each of 200 runs would find Wilson's interval wrong in about 30 % of the batches."""
    random = np.random.default_rng(7)
    batches, runs = 200, 200
    found: dict[tuple[int, int], bool] = {}
    wrong = 0
    for _ in range(batches):
        counts = np.cumsum(random.random(runs) < truth)
        for of, yes in enumerate(counts.tolist(), 1):
            if (yes, of) not in found:
                known = share(yes, of)
                found[yes, of] = known.low <= truth <= known.high
            if not found[yes, of]:
                wrong += 1
                break
    assert wrong <= 0.05 * batches


@pytest.mark.parametrize(("probability", "level", "runs"), [(0.1, 0.95, 29), (0.01, 0.99, 459)])
def test_so_many_runs_show_what_is_rare(probability: float, level: float, runs: int) -> None:
    assert runs_to_see(probability, level) == runs
    assert (1.0 - probability) ** runs <= 1.0 - level < (1.0 - probability) ** (runs - 1)


def test_so_many_runs_narrow_the_interval_whatever_comes_of_them() -> None:
    runs = runs_to_narrow(0.3)
    assert max(share(yes, runs).width for yes in range(runs + 1)) <= 0.31
    assert share((runs - 1) // 2, runs - 1).width > 0.3


def test_a_rule_says_beforehand_how_many_runs_it_takes() -> None:
    asked = {"delivered": ""}
    assert read_until("seen=0.1", asked).runs == 29
    assert read_until("width=0.3", asked).runs == runs_to_narrow(0.3)
    assert read_until("delivered>0.9", asked).runs is None
    rule = read_until("seen=0.1", asked)
    assert not rule.holds({"delivered": share(0, 28)})
    assert rule.holds({"delivered": share(0, 29)})
