"""Nobody waits for a model on the clock or a free one; what it misses is counted, its events are not lost."""

from __future__ import annotations

from support.small_ensemble import Outcome, run

TEXT = """
scenario: unwaited
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.3, pace: 0.01, actions: [
      {name: one, at: 0.05}, {name: two, at: 0.06}, {name: three, at: 0.07}, {name: four, at: 0.08}]}
  slow: {type: "support.small_ensemble:Watcher", step: STEP, parameters: {sleep: 0.05}}
"""


def asynchronous(stepping: str) -> Outcome:
    return run(TEXT.replace("STEP", stepping))


def test_a_slow_model_on_the_clock_misses_steps_and_they_are_counted() -> None:
    outcome = asynchronous("clock")
    slow = outcome.models["slow"]
    missed = outcome.summary.counters["missed steps of slow"]
    assert 0 < len(slow.ticks) < 30
    # one step may be under way, and one waiting, when the run ends
    assert 30 - 2 <= missed + len(slow.ticks) <= 30
    assert not outcome.summary.deterministic
    assert slow.times == sorted(slow.times)


def test_a_missed_step_loses_neither_its_events_nor_its_time() -> None:
    slow = asynchronous("clock").models["slow"]
    names = [event.name for tick in slow.ticks for event in tick.events]
    assert names == ["one", "two", "three", "four"]
    assert sum(tick.period_ns for tick in slow.ticks) == slow.ticks[-1].time_ns


def test_a_free_model_misses_nothing_by_definition() -> None:
    outcome = asynchronous("free")
    assert 0 < len(outcome.models["slow"].ticks) < 30
    assert outcome.summary.counters["missed steps of slow"] == 0
    assert not outcome.summary.deterministic


def test_what_it_answers_is_written_at_a_later_barrier() -> None:
    asks = "sleep: 0.05, asks: [{at: 0.0, kind: take, entity: ball}]"
    outcome = run(TEXT.replace("STEP", "clock").replace("sleep: 0.05", asks))
    assert [(a, b) for _, a, b in outcome.moves()] == [("physics", "slow")]
    assert outcome.record.handovers[0].time_ns > 10_000_000
