"""Bounds that are learned from episodes of many moments."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from hetwin_learning.held_out import held_out
from hetwin_learning.learn import learned_from
from hetwin_learning.model_thresholds import ModelThresholds
from hetwin_learning.thresholds import Moments, Threshold, any_within, pareto_front
from hetwin_learning.tree import accuracy_of, learn_bounds
from hetwin_suite.runs import find_scenario

pytestmark = pytest.mark.skipif(
    find_spec("sklearn") is None, reason="the extra learn is not installed"
)
WIDE = np.array([0.16, 0.07])


def made_up(count: int, seed: int, noise: float = 0.0) -> tuple[list[Moments], list[bool]]:
    """Approaches of a probe: radial and axial distance; half of them end in, the others 36 to 43 mm short."""
    random = np.random.default_rng(seed)
    episodes, labels = [], []
    for number in range(count):
        label = number % 2 == 0
        end = random.uniform(0.0, 0.005) if label else random.uniform(0.036, 0.043)
        axial = np.linspace(0.1, end, 30)
        radial = random.uniform(0.0, 0.01, 30)
        episodes.append(pareto_front(np.column_stack([radial, axial]).tolist(), 2))
        labels.append(label != (random.random() < noise))
    return episodes, labels


def test_bounds_ten_times_too_large_are_mended() -> None:
    episodes, labels = made_up(40, seed=1)
    others, their_labels = made_up(60, seed=2)
    found = learn_bounds(episodes, labels, WIDE)
    assert accuracy_of(others, their_labels, WIDE) == 0.5
    assert accuracy_of(others, their_labels, found.values) == 1.0
    assert 0.005 < found.values[1] < 0.036
    assert found.values[0] == WIDE[0], "what need not be bounded stays as it was"


def test_bounds_that_cannot_be_mended_stay() -> None:
    episodes = [np.array([[0.001, 0.002]])] * 10
    labels = [number % 3 != 0 for number in range(10)]
    assert np.array_equal(learn_bounds(episodes, labels, WIDE).values, WIDE)


def test_wrong_labels_show_in_what_is_held_out() -> None:
    clean = held_out(*made_up(60, seed=3), WIDE)
    noisy = held_out(*made_up(60, seed=3, noise=0.2), WIDE)
    assert clean.of == noisy.of == 60
    assert clean.accuracy == 1.0 > noisy.accuracy > noisy.accuracy_before


def test_an_episode_in_which_nothing_was_compared_is_a_no() -> None:
    episodes, labels = made_up(40, seed=4)
    never = np.zeros((0, 2))
    found = learn_bounds([*episodes, never], [*labels, False], WIDE)
    assert not any_within(never, found.values)
    assert found.accuracy == 1.0


def test_what_must_be_at_least_is_signed() -> None:
    threshold = Threshold("height(a)", 0.4, is_lower_bound=True)
    assert threshold.signed(threshold.value) == -0.4


@given(
    some.lists(some.tuples(some.floats(0, 1), some.floats(0, 1)), min_size=1, max_size=20),
    some.tuples(some.floats(0, 1), some.floats(0, 1)),
)
def test_the_lowest_moments_decide(
    rows: list[tuple[float, float]], bounds: tuple[float, float]
) -> None:
    array = np.array(bounds)
    assert any_within(pareto_front(rows, 2), array) == any_within(np.array(rows), array)


def test_what_holds_on_no_other_episode_is_not_learned() -> None:
    of = ModelThresholds(find_scenario("insertion"), None, "spu")
    present = [one.value for one in of.thresholds()]
    stayed = 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        seen = [[[0.001, float(random.uniform(0.0, 0.007)), 1.0]] for _ in range(40)]
        found = learned_from(of, seen, [number % 10 > 2 for number in range(40)])
        stayed += found.values == present
        assert found.held_out.accuracy >= found.held_out.accuracy_before == 0.7
    assert stayed >= 6
