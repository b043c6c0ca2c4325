"""Futures of the physics alone: they come to what the whole ensemble comes to, or are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.hetwin_command import refused

from hetwin_futures.forecast import Forecast
from hetwin_futures.predicting import predict
from hetwin_suite._study.physics_alone import END_S, next_model_step
from hetwin_suite._study.run_result import Moment
from hetwin_suite._study.study import Study

AT_S, HORIZON_S = 0.2, 0.4


@given(
    st.integers(0, 500),
    st.integers(1, 600),
    st.lists(st.integers(1, 60), max_size=3),
)
def test_looks_go_on_to_the_end(begin: int, steps: int, every: list[int]) -> None:
    end = begin + steps
    following, step, seen = next_model_step(end, every, 400.0), begin, []
    while step < end:
        assert step < following(step) <= end
        step = following(step)
        seen.append(step)
    late = {
        s
        for s in range(max(end - round(END_S * 400.0) + 1, begin + 1), end)
        if any(s % one == 0 for one in every)
    }
    assert late <= set(seen)


def forecast(*, physics_only: bool) -> Forecast:
    """A short forecast while the hand is far from everything."""
    study = Study("pick_and_place", seed=5, horizon_s=HORIZON_S, jobs=1)
    return predict(study, Moment(at_s=AT_S), 3, physics_only=physics_only)


def test_physics_alone_says_what_the_ensemble_says() -> None:
    whole, alone = forecast(physics_only=False), forecast(physics_only=True)
    assert alone.predicates == whole.predicates
    assert alone.horizon_s == whole.horizon_s
    for one, other in zip(alone.futures, whole.futures, strict=True):
        assert one.error is None
        assert one.inputs == other.inputs
        assert one.end_ns == other.end_ns
        assert one.digest != other.digest  # it has looked less often
        assert one.paths.keys() == other.paths.keys()
        for name, path in one.paths.items():
            np.testing.assert_allclose(path[-1], other.paths[name][-1], atol=1e-4)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (("--before", "lift", "--duration", "0.1"), ("--physics-only", "holding owns box.pose")),
        (("--at", "0.5", "--cluster", "127.0.0.1:1"), ("--physics-only", "found '--cluster'")),
    ],
)
def test_what_is_more_than_physics_is_refused(
    tmp_path: Path, asked: tuple[str, ...], says: tuple[str, ...]
) -> None:
    refused(tmp_path, "predict", "pick_and_place", *asked, "--physics-only", says=says)
