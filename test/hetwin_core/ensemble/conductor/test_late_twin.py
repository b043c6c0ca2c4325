"""A twin that is late: other models step less often, and as before once it has caught up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from hetwin_core.ensemble.conductor.scheduler import MOST_STRETCH, STEPS_TO_CHANGE, LagMeter, Pace
from hetwin_core.ensemble.transport.port import ModelPort


def port(name: str, every: int, beside: bool = False) -> ModelPort:
    plan = SimpleNamespace(name=name, every=every, beside=beside)
    return cast(ModelPort, cast(Any, SimpleNamespace(plan=plan)))


def names(ports: list[ModelPort]) -> list[str]:
    return [p.plan.name for p in ports]


def test_on_time_every_model_keeps_its_rate() -> None:
    pace = Pace([port("fast", 2), port("slow", 3)])
    assert [names(pace.due(step)) for step in range(1, 7)] == [
        [],
        ["fast"],
        ["slow"],
        ["fast"],
        [],
        ["fast", "slow"],
    ]
    assert not pace.missed


def test_late_they_step_less_often_and_what_is_left_out_is_counted() -> None:
    pace = Pace([port("fast", 2), port("beside", 2, beside=True)])
    assert pace.adapt(100, late=True)
    assert not pace.adapt(101, late=True)  # not at once again
    stepped = [names(pace.due(step)) for step in range(101, 109)]
    assert stepped == [
        [],
        ["beside"],
        [],
        ["fast", "beside"],
        [],
        ["beside"],
        [],
        ["fast", "beside"],
    ]
    assert pace.missed == {"fast": 2}


def test_rates_fall_and_rise_within_bounds() -> None:
    pace = Pace([])
    changes = [pace.adapt(n * STEPS_TO_CHANGE, late=True) for n in range(1, 6)]
    assert changes == [True, True, True, False, False]
    assert pace.stretch == MOST_STRETCH
    changes = [pace.adapt(n * STEPS_TO_CHANGE, late=False) for n in range(6, 11)]
    assert changes == [True, True, True, False, False]
    assert pace.stretch == 1


def test_a_model_is_told_the_time_since_its_last_step() -> None:
    model = port("fast", 2)
    pace = Pace([model])
    assert [pace.steps_since(model, step) for step in (2, 4, 8, 16)] == [2, 2, 4, 8]


def test_a_replay_has_no_lag() -> None:
    meter = LagMeter()
    meter.published(None)
    assert meter.summary() == {}
