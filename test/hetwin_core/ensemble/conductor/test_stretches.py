"""The main model takes the steps between two barriers in one call; that changes nothing but the time it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.clock import MainClock
from hetwin_core.ensemble.conductor.reporting.digest import Digest
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.model import MainTick, Tick
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.transport.remote.port import RemotePort
from hetwin_suite.runs import BetweenSteps, session
from model_nodes.main_physics.model import MainPhysics

SCENARIO, HELD_S = "pick_and_place", 5.2
"""Until the box has been held for a while, and lifted."""


class Kept(RunListener):
    """Keeps the state of each step that it is given, and needs one after some time.

    Args:
        apart_ns: from one to the next, in turn; 0: each step.
    """

    def __init__(self, apart_ns: Sequence[int]) -> None:
        self._apart_ns = apart_ns
        self.states: dict[int, Floats] = {}

    def next_ns(self, now_ns: int) -> int:
        """In turn."""
        return now_ns + self._apart_ns[len(self.states) % len(self._apart_ns)]

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Keep it."""
        self.states[step] = scene.values.copy()


def played(
    kept: Kept, *, single_steps: bool = False, duration: float = HELD_S
) -> tuple[RunSummary, Kept]:
    options = RunOptions(duration=duration, single_steps=single_steps)
    return session(SCENARIO, options=options, listeners=[kept]).run(), kept


@pytest.fixture(scope="module")
def by_single_steps() -> tuple[RunSummary, Kept]:
    return played(Kept([0]), single_steps=True)


def assert_same(run: tuple[RunSummary, Kept], single: tuple[RunSummary, Kept]) -> None:
    (summary, kept), (expected, every) = run, single
    assert (summary.digest, summary.events) == (expected.digest, expected.events)
    assert summary.handovers == expected.handovers
    for step, values in kept.states.items():
        np.testing.assert_array_equal(values, every.states[step], f"step {step}")


def test_states_at_barriers_are_those_of_single_steps(
    by_single_steps: tuple[RunSummary, Kept],
) -> None:
    run = played(Kept([10_000_000]))
    assert len(run[1].states) < 0.5 * len(by_single_steps[1].states)
    assert_same(run, by_single_steps)


@examples(4, random=20)
@given(apart=st.lists(st.integers(0, 40_000_000), min_size=1, max_size=9))
def test_whoever_listens_gets_the_same_states(
    by_single_steps: tuple[RunSummary, Kept], apart: list[int]
) -> None:
    assert_same(played(Kept(apart)), by_single_steps)


def test_whoever_is_called_at_barriers_is_called_at_each_step() -> None:
    called: list[int] = []

    def at_barrier(now: BetweenSteps) -> None:
        called.append(now.step)

    session(SCENARIO, options=RunOptions(duration=0.1), at_barrier=at_barrier).run()
    assert called == list(range(40))


def test_a_step_is_of_several_periods_where_nothing_comes_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    periods: list[int] = []
    step = MainPhysics.step

    def noted(self: MainPhysics, tick: MainTick) -> object:
        periods.append(tick.period_ns)
        return step(self, tick)

    monkeypatch.setattr(MainPhysics, "step", noted)
    session(SCENARIO, options=RunOptions(duration=0.5)).run()
    assert sum(periods) == 500_000_000
    assert max(periods) == 10_000_000  # as often as the digest needs a state, and models step
    assert periods.count(10_000_000) > 40


def test_a_model_in_a_process_of_its_own_gets_one_message_for_several_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    periods: list[int] = []
    begin = RemotePort.begin_step

    def noted(self: RemotePort, tick: Tick) -> None:
        periods.append(tick.period_ns)
        begin(self, tick)

    monkeypatch.setattr(RemotePort, "begin_step", noted)
    read, options = load_scenario(SCENARIO), RunOptions(duration=0.5)
    alone = session(read, options=options).run()
    assert not periods
    models = tuple(replace(plan, own_process=plan.main) for plan in read.models)
    own = session(replace(read, models=models), options=options, own_processes=True).run()
    assert own.digest == alone.digest
    assert sum(periods) == 500_000_000
    assert periods.count(10_000_000) > 40


@given(rate=st.floats(0.5, 5000.0), time_ns=st.integers(0, 10**13))
def test_the_step_from_a_time_is_the_first_that_is_not_before_it(rate: float, time_ns: int) -> None:
    clock = MainClock(rate)
    step = clock.step_from(time_ns)
    assert clock.time_of(step) >= time_ns
    assert step == 0 or clock.time_of(step - 1) < time_ns


@given(now_ns=st.integers(0, 10**12))
def test_the_digest_needs_the_first_state_from_each_ten_milliseconds_on(now_ns: int) -> None:
    assert 0 < Digest.next_ns(now_ns) - now_ns <= 10_000_000
    assert Digest.next_ns(now_ns) % 10_000_000 == 0
