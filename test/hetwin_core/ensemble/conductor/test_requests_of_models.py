"""A model asks for a responsibility with its answer, or gives one back to the main model."""

from __future__ import annotations

from support.small_ensemble import run

TEXT = """
scenario: requests
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1}}
  a: {type: "support.small_ensemble:Watcher", parameters: {asks: [ASKS]}}
  b: {type: "support.small_ensemble:Watcher", parameters: {asks: [OTHER]}}
"""
TAKE = "{at: 0.03, kind: take, entity: ball}"


def test_take_and_give_back() -> None:
    back = "{at: 0.06, kind: give_back, entity: ball}"
    outcome = run(TEXT.replace("ASKS", f"{TAKE}, {back}").replace("OTHER", ""))
    assert outcome.moves() == [(0.03, "physics", "a"), (0.06, "a", "physics")]
    assert [h.cause for h in outcome.record.handovers] == ["request of a"] * 2


def test_of_two_that_ask_at_once_the_later_one_in_the_scenario_has_it_in_the_end() -> None:
    outcome = run(TEXT.replace("ASKS", TAKE).replace("OTHER", TAKE))
    assert outcome.moves() == [(0.03, "physics", "a"), (0.03, "a", "b")]
    assert outcome.record.scenes[-1].owner("ball", "pose") == "b"


def test_asking_for_what_one_has_does_nothing() -> None:
    again = "{at: 0.05, kind: take, entity: ball}"
    outcome = run(TEXT.replace("ASKS", f"{TAKE}, {again}").replace("OTHER", ""))
    assert len(outcome.moves()) == 1
    assert outcome.summary.counters["refusals"] == 0


def test_giving_back_what_one_has_not_is_noted() -> None:
    back = "{at: 0.03, kind: give_back, entity: ball}"
    outcome = run(TEXT.replace("ASKS", back).replace("OTHER", ""))
    assert outcome.moves() == []
    assert "gives back ball.pose, which it is not responsible for" in outcome.warnings()


def test_the_owner_may_refuse() -> None:
    ask = "{at: 0.03, kind: take, entity: hand}"
    outcome = run(TEXT.replace("ASKS", ask).replace("OTHER", ""))
    assert outcome.moves() == []
    assert outcome.summary.counters["refusals"] == 1
    assert outcome.record.scenes[-1].owner("hand", "pose") == "physics"


def test_asking_for_what_does_not_exist_fails_the_run() -> None:
    ask = "{at: 0.03, kind: take, entity: dog}"
    error = run(TEXT.replace("ASKS", ask).replace("OTHER", "")).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("a", "request", 0.03)
    assert "dog.pose" in str(error["reason"])
