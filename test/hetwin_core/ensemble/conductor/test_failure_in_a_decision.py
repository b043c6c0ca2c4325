"""What fails while a decision about a failed model is carried out ends the run with its own words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.small_ensemble import Misbehaving, Outcome, run
from support.toys import ToyPhysics

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import Changes, Tick

TEXT = """
scenario: fails_in_a_decision
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [{name: take, at: 0.03}]}}
  holder: {type: "support.small_ensemble:Misbehaving", on_failure: POLICY}
  witness: {type: "support.small_ensemble:Watcher"}
triggers:
  - {name: takes, on: {action: take, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: holder}}]}
"""


def breaks(*_: Any) -> None:
    raise ValueError("it broke too")


def step(tick: Tick) -> Changes:
    if tick.time_ns == 50_000_000:
        raise ValueError("it broke")
    return Changes(tick.time_ns)


def second_time(error: Exception) -> Any:
    """A deed that raises in the second instance of the model."""
    calls: list[None] = []

    def deed() -> None:
        calls.append(None)
        if len(calls) == 2:
            raise error

    return deed


def outcome_of(monkeypatch: pytest.MonkeyPatch, policy: str, **deeds: Any) -> Outcome:
    monkeypatch.setattr(Misbehaving, "deeds", {"step": step, **deeds})
    return run(TEXT.replace("POLICY", policy))


def assert_ended(outcome: Outcome, model: str, call: str, reason: str) -> None:
    error = outcome.summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == (model, call, 0.05)
    where = rf" \(.*{Path(__file__).name}, line \d+\)" if "ValueError" in reason else ""
    assert re.fullmatch(re.escape(reason) + where, str(error["reason"]))
    assert outcome.summary.failures == ()
    assert outcome.record.calls[-1] == "ended"
    assert outcome.models["witness"].stops == 1


@pytest.mark.parametrize("policy", ["hand_back", "restart"])
def test_the_main_model_fails_to_take_what_is_handed_back(
    policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ToyPhysics, "take", breaks)
    outcome = outcome_of(monkeypatch, policy)
    assert_ended(outcome, "physics", "take", "ValueError: it broke too")
    assert outcome.record.scenes[-1].owner("ball", "pose") == "holder"


@pytest.mark.parametrize("call", ["register", "initialize", "start"])
def test_a_model_does_not_come_up_again(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch, "restart", **{call: second_time(ValueError("it broke too"))})
    assert_ended(outcome, "holder", call, "at its restart: ValueError: it broke too")
    assert outcome.summary.handovers[-1]["to"] == "physics"


def test_a_model_does_not_accept_its_parameters_again(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch, "restart", initialize=second_time(BadInput("no such hand")))
    assert_ended(outcome, "holder", "initialize", "at its restart: no such hand")
