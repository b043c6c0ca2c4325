"""A handover has two phases and a way back; no attribute is ever owned twice or by nobody."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support import toys
from support.small_ensemble import Misbehaving, Outcome, Watcher, run

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.scene.values import Value

TEXT = """
scenario: phases
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [
    {name: first, at: 0.03}, {name: second, at: 0.06}]}}
  a: {type: "support.small_ensemble:Watcher"}
  b: {type: "support.small_ensemble:Misbehaving"}
triggers:
  - {name: t, on: {action: first, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: a}}]}
  - {name: u, on: {action: second, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: b}}]}
"""


def refuse(*_: Any) -> None:
    raise Refused("my hands are full")


def outcome_of(monkeypatch: pytest.MonkeyPatch, **deeds: Callable[..., Any]) -> Outcome:
    monkeypatch.setattr(Misbehaving, "deeds", deeds)
    return run(TEXT)


def owners(outcome: Outcome) -> list[str]:
    return [scene.owner("ball", "pose") for scene in outcome.record.scenes]


def test_release_then_take_then_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch)
    assert outcome.moves() == [(0.03, "physics", "a"), (0.06, "a", "b")]
    assert owners(outcome) == ["physics"] * 2 + ["a"] * 3 + ["b"] * 5
    assert [(h["from"], h["to"]) for h in outcome.summary.handovers] == [
        ("physics", "a"),
        ("a", "b"),
    ]


def test_what_is_taken_is_what_was_released_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch)
    released, taken = outcome.models["physics"].released, outcome.record.handovers
    held = outcome.models["b"].held["ball", "pose"]
    assert taken[0].value.data.tobytes() == released[0].data.tobytes()
    assert taken[1].value.data.tobytes() == held.data.tobytes()
    assert (taken[0].value.time_ns, taken[1].value.time_ns) == (30_000_000, 60_000_000)


def test_neither_side_can_change_it_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    held = outcome_of(monkeypatch).models["b"].held["ball", "pose"]
    with pytest.raises(ValueError, match="read-only"):
        held.data[0] = 1.0


def test_a_refused_take_goes_back_to_the_former_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch, take=refuse)
    assert outcome.moves() == [(0.03, "physics", "a")]
    assert owners(outcome)[-1] == "a"
    assert ("ball", "pose") in outcome.models["a"].held
    assert outcome.summary.counters["refusals"] == 1
    assert outcome.warnings() == ["b refused ball.pose: my hands are full"]


def test_if_the_former_owner_refuses_too_the_main_model_takes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken: list[Value] = []

    def take_once(self: Watcher, entity: str, attribute: str, value: Value, scene: Any) -> None:
        if taken:
            raise Refused("not again")
        taken.append(value)
        self.held[entity, attribute] = value

    monkeypatch.setattr(Watcher, "take", take_once)
    outcome = outcome_of(monkeypatch, take=refuse)
    assert outcome.summary.error is None
    assert outcome.moves() == [(0.03, "physics", "a"), (0.06, "a", "physics")]
    assert owners(outcome) == ["physics"] * 2 + ["a"] * 3 + ["physics"] * 5
    assert "physics has it now" in outcome.warnings()[0]
    physics = outcome.models["physics"]
    assert physics.taken[0].data.tobytes() == outcome.record.handovers[1].value.data.tobytes()
    # and it falls again
    assert outcome.record.scenes[-1].pose("ball")[9] < 0


def test_if_nobody_takes_it_the_run_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toys.ToyPhysics, "take", refuse)
    text = TEXT.replace("to: a}", "to: b}")
    monkeypatch.setattr(Misbehaving, "deeds", {"take": refuse})
    outcome = run(text)
    error = outcome.summary.error
    assert error is not None
    assert (error["call"], error["time"]) == ("take", 0.03)
    assert "b refused ball.pose: my hands are full; physics does not take it back" in str(
        error["reason"]
    )
    assert outcome.moves() == []


def test_a_refused_release_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch)
    assert outcome.summary.error is None
    monkeypatch.setattr(toys.ToyPhysics, "release", refuse)
    outcome = run(TEXT)
    assert outcome.moves() == []
    assert owners(outcome) == ["physics"] * 10
    assert outcome.models["a"].held == {}


def test_a_model_that_does_not_declare_an_attribute_is_not_even_asked() -> None:
    do = "{hand_over: {entity: cup, attribute: temperature, to: a}}"
    text = TEXT + f"  - {{name: v, on: {{action: first, phase: instant}}, do: [{do}]}}\n"
    outcome = run(text.replace("triggers:", '  cup: {type: "support.toys:ToyCup"}\ntriggers:'))
    assert "a cannot be responsible for temperature" in outcome.warnings()
    assert outcome.record.scenes[-1].owner("cup", "temperature") == "cup"


@pytest.mark.parametrize(
    ("deed", "reason"),
    [
        (lambda v: Value(np.zeros(3), v.time_ns), "must be 13 finite float64 numbers"),
        (lambda v: Value(np.full(13, np.nan), v.time_ns), "must be 13 finite float64 numbers"),
        (lambda v: Value(np.zeros(13), v.time_ns), "with a unit quaternion"),
        (
            lambda v: Value(v.data, v.time_ns, "hand"),
            "must be in the world frame, not in 'hand'",
        ),
        (lambda v: Value(v.data, 0), "is stamped 0.000000000 s; expected the current time"),
        (lambda v: v.data, "must be a Value"),
    ],
)
def test_a_wrong_release_fails_the_run(
    deed: Callable[[Value], Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Misbehaving, "deeds", {"release": deed})
    text = TEXT.replace("to: b}", "to: physics}").replace("to: a}", "to: b}")
    error = run(text).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("b", "release", 0.06)
    assert reason in str(error["reason"])
