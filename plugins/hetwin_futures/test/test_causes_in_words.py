"""Why futures fail, of made-up futures; and what a forecast counts."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hetwin_futures.forecast import Forecast, failures_of
from hetwin_suite._study.run_result import RunEvent, RunResult


def future(index: int, good: bool, events: Mapping[str, float]) -> RunResult:
    """A future in which things happen at times [s]."""
    seen = tuple(
        RunEvent(name, name.partition("(")[0], "ball", f"ball {name}", round(time * 1e9))
        for name, time in events.items()
    )
    return RunResult(index, outcomes={"in": good}, events=seen, state={"inside": good})


GOOD = {"released": 1.0, "entered": 1.5}


def test_the_first_different_event_is_the_cause() -> None:
    futures = [future(n, True, GOOD) for n in range(8)]
    futures.append(future(8, False, {"released": 1.0, "touches rim": 1.3, "fell": 1.9}))
    futures.append(future(9, False, {"released": 1.0, "touches rim": 1.2, "fell": 1.6}))
    (failure,) = failures_of(futures)
    assert failure.to_json() == {
        "cause": "ball touches rim",
        "event": "touches rim",
        "entity": "ball",
        "share": 0.2,
    }
    assert failure.futures == (8, 9)


def test_what_does_not_happen_is_a_cause_at_the_time_when_it_usually_does() -> None:
    futures = [future(n, True, GOOD) for n in range(5)]
    futures.append(future(5, False, {"fell": 1.2}))
    (failure,) = failures_of(futures)
    assert (failure.event, failure.cause) == ("no released", "not: ball released")


def test_what_happens_in_successes_as_well_is_no_cause() -> None:
    futures = [future(n, True, {**GOOD, "touches rim": 1.2}) for n in range(4)]
    futures.append(future(4, False, {"released": 1.0, "touches rim": 1.2, "left": 1.7}))
    (failure,) = failures_of(futures)
    assert failure.event == "no entered"


def test_without_successes_the_last_event_has_to_serve() -> None:
    (failure,) = failures_of([future(0, False, {"released": 1.0, "fell": 2.0})])
    assert (failure.event, failure.share) == ("fell", 1.0)
    assert failure.cause == "no in; at last ball fell"


def test_without_successes_futures_part_from_what_is_believed() -> None:
    missed = future(0, False, {"released": 1.0, "touches rim": 1.2, "fell": 2.0})
    (failure,) = failures_of([missed], future(-1, True, GOOD))
    assert (failure.event, failure.cause) == ("touches rim", "ball touches rim")
    (failure,) = failures_of([missed], future(-1, False, {"released": 1.0, "fell": 1.5}))
    assert failure.event == "fell"


def test_a_future_that_broke_down_is_neither_success_nor_failure() -> None:
    futures = [future(0, True, GOOD), future(1, False, {"fell": 1.0}), RunResult(2, error="died")]
    forecast = Forecast(0.5, 2.0, 0, 4, futures, ("in",), 1.0)
    assert forecast.to_json()["futures"] == {"asked": 4, "finished": 2, "failed": 1}
    assert not forecast.deterministic
    assert (forecast.success.p, forecast.success.of) == (0.5, 2)
    assert forecast.predicates["inside"].of == 2
    entered = next(event for event in forecast.events if event.name == "entered")
    assert entered == ("entered", 1.5, 1.5, 1.5, 0.5)


def test_without_outcomes_there_are_no_failures() -> None:
    futures = [RunResult(0, state={"inside": False}), RunResult(1, state={})]
    assert Forecast(0.0, 1.0, 0, 2, futures, (), 1.0).to_json()["failures"] == []


@pytest.mark.parametrize("count", [1, 3])
def test_events_lie_between_their_quantiles(count: int) -> None:
    futures = [future(n, True, {"entered": 1.0 + n}) for n in range(count)]
    (event,) = Forecast(0.0, 9.0, 0, count, futures, ("in",), 1.0).events
    assert event.low_s <= event.median_s <= event.high_s
    assert event.median_s == 1.0 + (count - 1) / 2
