"""A slower model steps with every so many main steps, at times that never drift."""

from __future__ import annotations

import pytest
from support.small_ensemble import run, scenario

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.errors import BadInput

TEXT = """
scenario: rates
rate: 400
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.05}}
  every: {type: "support.small_ensemble:Watcher", every: 3}
  rate: {type: "support.small_ensemble:Watcher", rate: 100}
  same: {type: "support.small_ensemble:Watcher"}
"""


def test_models_step_when_they_are_due_and_know_for_how_long() -> None:
    outcome = run(TEXT)
    models = outcome.models
    assert models["every"].times == pytest.approx([3 / 400 * n for n in range(1, 7)])
    assert models["rate"].times == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
    assert len(models["same"].times) == 20
    assert {tick.period_ns for tick in models["rate"].ticks} == {10_000_000}
    assert {tick.period_ns for tick in models["every"].ticks} == {7_500_000}


def test_periods_add_up_to_the_time_where_a_step_is_no_whole_number_of_nanoseconds() -> None:
    outcome = run(TEXT.replace("rate: 400", "rate: 300").replace("rate: 100", "rate: 60"))
    ticks = outcome.models["rate"].ticks
    assert len({tick.period_ns for tick in outcome.models["same"].ticks}) == 2
    assert sum(tick.period_ns for tick in ticks) == ticks[-1].time_ns


def test_times_do_not_drift() -> None:
    clock = MainClock(300.0)
    assert clock.time_of(300 * 86_400) == 86_400 * 10**9


@pytest.mark.parametrize("rate", ["rate: 120", "rate: 401", "rate: 399.9"])
def test_a_rate_that_does_not_divide_is_refused_with_the_nearest_ones(rate: str) -> None:
    with pytest.raises(BadInput, match=r"line 6, models\.rate\.rate: .*does not divide") as error:
        scenario(TEXT.replace("rate: 100}", rate + "}").lstrip())
    expected = {"rate: 120": "100 or 133.333", "rate: 401": "400", "rate: 399.9": "200 or 400"}
    assert expected[rate] in str(error.value)
