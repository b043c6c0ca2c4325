"""A main model that takes several steps in one call gives the same run as one that is called for each step."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace

import pytest
from support.small_ensemble import HEADER, Outcome, Recorder, run, scenario

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Changes, Tick
from hetwin_core.ensemble.scenario.model_plan import ModelPlan
from hetwin_core.ensemble.transport import step_batching, step_codec
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.step_batching import Stepper

TRIGGERS = """
triggers:
  - name: grasp_begins
    on: {action: move_hand}
    while: phase
    if: hand_free(event.hand)
    do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]
  - name: grasp_ends
    on: {action: move_hand, phase: end}
    do: [{hand_over: {entity: ball, attribute: pose, to: physics}}]
"""
ACTIONS = (
    "{until: 0.4, actions: [{name: move_hand, at: 0.05, phase: begin, hand: hand},"
    " {name: move_hand, at: 0.17, phase: end, hand: hand}]}"
)
ENSEMBLE = (
    HEADER.replace("{until: 0.2}", ACTIONS)
    + '  grasp: {type: "support.toys:ToyGrasp", every: 7}\n  cup: {type: "support.toys:ToyCup", every: 3}\n'
    + TRIGGERS
)
VALUE = """  - name: far
    on: {attribute: pose, entity: hand, index: 0, above: 0.02}
    do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]
"""


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that is busy no call is cut short either."""
    monkeypatch.setattr(step_batching, "LONGEST_S", 60.0)


class AheadPort(LocalPort):
    """Takes further steps as a model's node does."""

    def __init__(self, plan: ModelPlan) -> None:
        super().__init__(plan)
        self.calls = 0
        self.most = 0
        self._stepper = Stepper()
        self._answered: deque[Changes] = deque()
        self._asked: tuple[Tick, Sequence[int]] | None = None

    @property
    def can_run_ahead(self) -> bool:
        return self.plan.main

    @property
    def ahead(self) -> int:
        return len(self._answered)

    def begin_step(self, tick: Tick, further: Sequence[int] = ()) -> None:
        if not self.plan.main:
            super().begin_step(tick)
        elif not self._answered:
            self._asked = (tick, further)

    def end_step(self) -> Changes:
        if not self.plan.main:
            return super().end_step()
        if not self._answered:
            assert self._asked is not None
            self.calls += 1
            tick, further = self._asked
            outputs = self._stepper.step(self._step, tick, further)
            message = SimpleNamespace(index=[], numbers=[], more="")
            step_codec.fill_outputs(message, outputs, tick.scene.layout)
            self._answered.extend(step_codec.read_outputs(message, tick.scene.layout))
            self.most = max(self.most, len(self._answered))
        return self._answered.popleft()


def run_ahead(text: str, *outside: Event, **options: float) -> tuple[Outcome, AheadPort]:
    read = scenario(text)
    ports = [AheadPort(plan) for plan in read.models]
    record = Recorder()
    conductor = session(read, options=RunOptions(**options), listeners=[record], ports=ports)
    for event in outside:
        conductor.notify(event)
    summary = conductor.run()
    models = {port.plan.name: port.model for port in ports}
    return Outcome(summary, record, models), ports[read.main.index]


@pytest.mark.parametrize(
    "text",
    [
        HEADER,
        ENSEMBLE,
        ENSEMBLE.replace("every: 7", "every: 7, coupling: beside"),
        ENSEMBLE.replace("every: 7}", "every: 7, parameters: {asks_at: 0.3}}"),
        ENSEMBLE + VALUE,
    ],
    ids=["alone", "after", "beside", "requests", "values"],
)
def test_the_run_is_the_same(text: str) -> None:
    stepwise, (ahead, _) = run(text), run_ahead(text)
    assert ahead.summary.digest == stepwise.summary.digest
    assert ahead.moves() == stepwise.moves()
    assert ahead.record.calls == stepwise.record.calls
    assert ahead.summary.simulated_time == stepwise.summary.simulated_time


def test_it_takes_fewer_calls_and_no_call_goes_past_a_model_that_is_due() -> None:
    alone, port = run_ahead(HEADER)
    assert port.calls < len(alone.record.scenes) / 3
    _, port = run_ahead(ENSEMBLE)
    assert 1 < port.most <= 3


def test_a_trigger_that_looks_at_values_is_asked_at_every_step() -> None:
    _, port = run_ahead(ENSEMBLE + VALUE)
    assert port.most == 1


def test_a_failure_counts_from_the_step_in_which_it_happened() -> None:
    text = HEADER.replace("{until: 0.2}", "{until: 0.2, fail_at: 0.105}")
    stepwise, (ahead, _) = run(text), run_ahead(text)
    assert ahead.summary.error == stepwise.summary.error
    assert ahead.record.calls == stepwise.record.calls
    assert ahead.summary.digest == stepwise.summary.digest


def test_a_duration_is_kept() -> None:
    ahead, _ = run_ahead(HEADER, duration=0.055)
    assert ahead.summary.simulated_time == run(HEADER, duration=0.055).summary.simulated_time
