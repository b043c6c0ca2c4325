"""Triggers wake on action annotations and events, in the scenario's order, each seeing the earlier ones' effects."""

from __future__ import annotations

import pytest
from support.small_ensemble import run

TEXT = """
scenario: waking
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.1, actions: [
      {name: move, at: 0.02, phase: begin, hand: hand},
      {name: blink, at: 0.04},
      {name: move, at: 0.06, phase: end, hand: hand}]}
  a: {type: "support.small_ensemble:Watcher", parameters: {tells: [{at: 0.05, name: seen}]}}
  b: {type: "support.small_ensemble:Watcher", parameters: {tells: [{at: 0.07, name: seen}]}}
triggers:
  - {name: t, on: ON, do: [{raise: {event: woken}}]}
"""


@pytest.mark.parametrize(
    ("on", "times"),
    [
        ("{action: move}", [0.02]),
        ("{action: move, phase: begin}", [0.02]),
        ("{action: move, phase: end}", [0.06]),
        ("{action: move, phase: any}", [0.02, 0.06]),
        ("{action: move, phase: instant}", []),
        ("{action: blink, phase: instant}", [0.04]),
        ('{action: "*", phase: any}', [0.02, 0.04, 0.06]),
        ("{event: seen}", [0.05, 0.07]),
        ("{event: a.seen}", [0.05]),
        ("{event: b.seen}", [0.07]),
        ("{event: move}", []),
        ("{topic: move}", []),
    ],
)
def test_what_wakes(on: str, times: list[float]) -> None:
    events = run(TEXT.replace("ON", on)).record.events
    assert [e.time_ns / 1e9 for e in events if e.name == "woken"] == times


ORDERED = """
scenario: effects
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [{name: go, at: 0.05}]}}
  a: {type: "support.small_ensemble:Watcher"}
  b: {type: "support.small_ensemble:Watcher"}
triggers:
  - name: first
    on: {action: go, phase: instant}
    if: "owner('ball', 'pose') == 'physics'"
    do: [{hand_over: {entity: ball, attribute: pose, to: a}}]
  - name: second
    on: {action: go, phase: instant}
    if: "owner('ball', 'pose') == 'a'"
    do: [{hand_over: {entity: ball, attribute: pose, to: b}}]
  - name: third
    on: {action: go, phase: instant}
    if: "owner('ball', 'pose') == 'a'"
    do: [{stop: the third must not see what the second has changed}]
"""


def test_each_trigger_sees_the_effects_of_earlier_ones() -> None:
    outcome = run(ORDERED)
    assert outcome.moves() == [(0.05, "physics", "a"), (0.05, "a", "b")]
    assert outcome.summary.ended == "recording"
    assert [h.cause for h in outcome.record.handovers] == ["first", "second"]


def test_the_order_is_the_scenarios() -> None:
    head, first, second, third = ORDERED.partition("triggers:")[0], *ORDERED.split("  - name: ")[1:]
    swapped = head + "triggers:\n" + "".join(f"  - name: {t}" for t in (second, first, third))
    assert run(swapped).moves() == [(0.05, "physics", "a")]
    assert run(swapped).summary.ended == "stopped"


def test_a_condition_must_be_true_or_false() -> None:
    error = run(
        ORDERED.replace("\"owner('ball', 'pose') == 'physics'\"", "\"owner('ball', 'pose')\"")
    ).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("trigger first", "if", 0.05)
    assert "must be true or false, not 'physics'" in str(error["reason"])
