"""A twin that is late: other models step less often, and as before once it has caught up."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from hetwin_core.ensemble.conductor.scheduler import (
    MAX_STRETCH,
    STEPS_TO_CHANGE,
    LagControl,
    Scheduler,
)
from hetwin_core.ensemble.model import Stepping
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.scene import ResponsibilityTable, Scene
from hetwin_core.ensemble.transport.port import ModelPort

LAYOUT = Layout.build([], [])
SCENE = Scene(LAYOUT, ResponsibilityTable(LAYOUT, ("main",), np.empty(0, np.int32)), 0)


def port(name: str, every: int, beside: bool = False) -> ModelPort:
    plan = SimpleNamespace(
        seat=None,
        index=len(name),
        name=name,
        every=every,
        beside=beside,
        main=False,
        stepping=Stepping.SERVICE,
    )
    return cast(ModelPort, cast(Any, SimpleNamespace(plan=plan)))


def schedule(*ports: ModelPort) -> Scheduler:
    return Scheduler(ports, LAYOUT)


def names_due(scheduler: Scheduler, step: int) -> list[str]:
    return [p.plan.name for p in scheduler.due(step, SCENE)]


def test_on_time_every_model_keeps_its_rate() -> None:
    scheduler = schedule(port("fast", 2), port("slower", 3))
    assert [names_due(scheduler, step) for step in range(1, 7)] == [
        [],
        ["fast"],
        ["slower"],
        ["fast"],
        [],
        ["fast", "slower"],
    ]
    assert not scheduler.missed


def test_late_they_step_less_often_and_what_is_left_out_is_counted() -> None:
    scheduler = schedule(port("fast", 2), port("beside", 2, beside=True))
    assert scheduler.adapt(100, late=True)
    assert not scheduler.adapt(101, late=True)  # not at once again
    stepped = [names_due(scheduler, step) for step in range(101, 109)]
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
    assert scheduler.missed == {"fast": 2}


def test_rates_fall_and_rise_within_bounds() -> None:
    scheduler = schedule()
    changes = [scheduler.adapt(n * STEPS_TO_CHANGE, late=True) for n in range(1, 6)]
    assert changes == [True, True, True, False, False]
    assert scheduler.stretch == MAX_STRETCH
    changes = [scheduler.adapt(n * STEPS_TO_CHANGE, late=False) for n in range(6, 11)]
    assert changes == [True, True, True, False, False]
    assert scheduler.stretch == 1


def test_a_model_is_told_the_time_since_its_last_step() -> None:
    model = port("fast", 2)
    scheduler = schedule(model)
    assert [scheduler.period_ns(model, time_ns) for time_ns in (2, 4, 8, 16)] == [2, 2, 4, 8]


def test_a_replay_has_no_lag() -> None:
    lag = LagControl(schedule(), lambda source, text: None)
    assert lag.summary() == {}
    assert not lag.is_live
