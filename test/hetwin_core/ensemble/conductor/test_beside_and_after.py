"""A model after the main one works on its result; one beside it works on the scene before."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from support.small_ensemble import Watcher, run
from support.waiting import wait_until

from hetwin_core.ensemble.model import Contribution, StepInput, StepOutput

TEXT = """
scenario: coupling
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.06}}
  after: {type: "support.small_ensemble:Watcher"}
  beside: {type: "support.small_ensemble:Watcher", coupling: beside, every: 2}
"""


def test_what_each_saw() -> None:
    outcome = run(TEXT)
    after, beside = outcome.models["after"], outcome.models["beside"]
    assert after.times == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05, 0.06])
    assert after.saw == [pytest.approx((t, 0.1 * t)) for t in after.times]
    assert beside.times == pytest.approx([0.02, 0.04, 0.06])
    assert beside.saw == [pytest.approx((t - 0.02, 0.1 * (t - 0.02))) for t in beside.times]


def test_a_snapshot_given_to_a_model_beside_is_its_own() -> None:
    beside = run(TEXT).models["beside"]
    hands = [float(tick.scene.pose("hand")[0]) for tick in beside.ticks]
    assert hands == [x for _, x in beside.saw]


def test_both_couplings_are_deterministic() -> None:
    summaries = [run(TEXT).summary for _ in range(3)]
    assert all(s.deterministic for s in summaries)
    assert len({s.digest for s in summaries}) == 1


def test_no_thread_is_left() -> None:
    run(TEXT)
    wait_until(
        lambda: "beside" not in {thread.name for thread in threading.enumerate()},
        "the end of the thread beside",
    )


def test_a_snapshot_cannot_be_written_to() -> None:
    outcome = run(TEXT)
    with pytest.raises(ValueError, match="read-only"):
        outcome.models["after"].ticks[-1].scene.values[0] = 1.0


def test_a_slow_model_beside_has_its_whole_period_of_time() -> None:
    """It sets out when its period begins, not with the last main step of it."""
    outcome = run(
        """
scenario: slow
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.16, pace: 0.02}}
  beside: {type: "support.small_ensemble:Watcher", coupling: beside, every: 4, parameters: {sleep: 0.06}}
"""
    )
    begun = [tick.scene.time_ns for tick in outcome.models["beside"].ticks]
    assert begun == [0, 40_000_000, 80_000_000, 120_000_000]
    assert outcome.models["beside"].times == pytest.approx([0.04, 0.08, 0.12, 0.16])


def test_a_command_waits_for_the_step_under_way() -> None:
    outcome = run(
        """
scenario: command
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.08}}
  teller:
    type: "support.small_ensemble:Watcher"
    parameters: {tells: [{at: 0.05, name: now}]}
  beside:
    type: "test_beside_and_after:Late"
    coupling: beside
    every: 4
    parameters: {sleep: 0.05}
triggers:
  - name: tell_it
    on: {event: teller.now}
    do:
      - command: {model: beside, name: hear}
"""
    )
    assert outcome.models["beside"].order == ["step 0.04", "step 0.08", "hear"]


class Late(Watcher):
    """A watcher that notes the order of its calls; a step is noted at its end."""

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        self.order: list[str] = []
        return super().initialize(parameters, seed)

    def step(self, tick: StepInput) -> StepOutput:
        output = super().step(tick)
        self.order.append(f"step {tick.time_ns / 1e9:g}")
        return output

    def command(self, name: str, arguments: Mapping[str, Any]) -> None:
        self.order.append(name)
