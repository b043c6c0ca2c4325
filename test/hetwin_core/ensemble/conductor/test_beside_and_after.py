"""A model after the main one works on its result; one beside it works on the scene before."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from support.small_ensemble import Watcher, WatcherSettings, run, scenario
from support.toys import ToyPhysics
from support.waiting import wait_until

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.model import Changes, Contribution, MainTick
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, PROXIMITY_COLUMNS, Table
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.local import LocalPort

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

    def initialize(self, settings: WatcherSettings, scene: Contribution) -> None:
        self.order: list[str] = []
        super().initialize(settings, scene)

    def step(self, tick: MainTick) -> Changes:
        output = super().step(tick)
        self.order.append(f"step {tick.time_ns / 1e9:g}")
        return output

    def command(self, name: str, arguments: Mapping[str, Any]) -> None:
        self.order.append(name)


class Near(ToyPhysics):
    """A main model that counts how often its rows of proximity are read."""

    computed = 0

    def step(self, tick: MainTick) -> Changes:
        output = super().step(tick)
        output.tables[PROXIMITY] = Table(self._rows)
        return output

    def _rows(self) -> Floats:
        Near.computed += 1
        return np.zeros((1, PROXIMITY_COLUMNS))


class Blind(Watcher):
    """Does not read proximity."""

    def initialize(self, settings: WatcherSettings, scene: Contribution) -> None:
        super().initialize(settings, scene)
        scene.needs(("*", "pose"))


@pytest.mark.parametrize(("kind", "rows"), [("Blind", 0), ("support.small_ensemble:Watcher", 1)])
def test_proximity_is_copied_for_those_who_read_it(kind: str, rows: int) -> None:
    here = "test_beside_and_after"
    kind = kind if ":" in kind else f"{here}:{kind}"
    text = TEXT.replace("support.toys:ToyPhysics", f"{here}:Near")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("  after:"))
    text = text.replace("support.small_ensemble:Watcher", kind)
    Near.computed = 0
    read = scenario(text)
    ports = [LocalPort(plan) for plan in read.models]
    assert session(read, ports=ports).run().error is None  # no listener, which would read them too
    beside = ports[1].model
    assert isinstance(beside, Watcher)
    assert {len(tick.scene.proximity) for tick in beside.ticks[1:]} == {rows}
    assert Near.computed == (3 if rows else 1)  # the state at the end is read in any case
