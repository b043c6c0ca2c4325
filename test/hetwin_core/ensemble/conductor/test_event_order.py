"""Events of a step are handled by time, then in the order of the models, then as they were told."""

from __future__ import annotations

from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.events import Event

TEXT = """
scenario: order
rate: 100
models:
  late:
    type: "support.small_ensemble:Watcher"
    every: 4
    parameters: {tells: [{at: 0.04, name: b}, {at: 0.04, name: c}, {at: 0.04, name: a, stamp: 0.015}]}
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.06, actions: [{name: act, at: 0.04}, {name: earlier, at: 0.035}]}
  last: {type: "support.small_ensemble:Watcher", parameters: {tells: [{at: 0.04, name: z}]}}
"""


def order() -> Outcome:
    return run(TEXT)


def test_time_then_model_then_sequence() -> None:
    assert order().names() == ["a", "earlier", "b", "c", "act", "z"]


def test_a_late_event_keeps_its_stamp_and_is_handled_where_it_arrives() -> None:
    outcome = order()
    event = outcome.record.events[0]
    assert event.time_ns == 15_000_000
    assert outcome.record.calls.index("event a") > outcome.record.calls.index("stepped 3")
    assert outcome.record.calls.index("event a") < outcome.record.calls.index("stepped 4")


def test_events_are_numbered_per_source_as_they_are_handled() -> None:
    numbered = [(e.source, e.sequence, e.name) for e in order().record.events]
    assert [n for n in numbered if n[0] == "late"] == [
        ("late", 1, "a"),
        ("late", 2, "b"),
        ("late", 3, "c"),
    ]
    assert ("last", 1, "z") in numbered


def test_every_model_sees_every_event_once_with_its_next_step() -> None:
    outcome = order()
    seen = {
        name: [[e.name for e in tick.events] for tick in outcome.models[name].ticks]
        for name in ("late", "last")
    }
    assert seen["last"] == [[], [], [], [], ["a", "earlier", "b", "c", "act", "z"], []]
    assert seen["late"] == [[]]


def test_a_model_cannot_speak_for_another() -> None:
    outcome = run(TEXT.replace("name: z}", "name: z, source: physics}"))
    assert {e.name: e.source for e in outcome.record.events}["z"] == "last"


def test_events_from_outside_come_after_the_models_of_the_same_time() -> None:
    outcome = run(TEXT, Event("far", 40_000_000), Event("near", 40_000_000, source="late"))
    assert outcome.names()[:2] == ["near", "far"]
    assert {e.name: e.source for e in outcome.record.events}["far"] == "outside"
    assert not outcome.summary.deterministic
