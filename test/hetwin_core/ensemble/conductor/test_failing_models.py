"""A model that raises or is late ends the run with its name, the call and the time; all models are stopped."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from support.small_ensemble import Misbehaving, Outcome, conduct, run

from hetwin_core.ensemble.errors import BadInput, Refused, RunFailed

TEXT = """
scenario: failing
rate: 100
models:
  physics:
    type: "support.toys:ToyPhysics"
    main: true
    parameters: {until: 0.1, actions: [{name: take, at: 0.03}, {name: command, at: 0.05}, {name: give, at: 0.07}]}
  broken: {type: "support.small_ensemble:Misbehaving", step: service}
  witness: {type: "support.small_ensemble:Watcher"}
triggers:
  - {name: takes, on: {action: take, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: broken}}]}
  - {name: commands, on: {action: command, phase: instant}, do: [{command: {model: broken, name: jump}}]}
  - {name: gives, on: {action: give, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: physics}}]}
"""


def raises(error: Exception) -> Any:
    def deed(*_: Any) -> None:
        raise error

    return deed


def failing(monkeypatch: pytest.MonkeyPatch, call: str, deed: Any, text: str = TEXT) -> Outcome:
    monkeypatch.setattr(Misbehaving, "deeds", {call: deed})
    return run(text)


@pytest.mark.parametrize(
    ("call", "seconds"),
    [("start", 0.0), ("step", 0.01), ("take", 0.03), ("command", 0.05), ("release", 0.07)],
)
@pytest.mark.parametrize(
    "error", [ValueError("it broke"), KeyError("it broke"), SystemError("it broke")]
)
def test_an_exception_during_the_run(
    call: str, seconds: float, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = failing(monkeypatch, call, raises(error))
    found = outcome.summary.error
    assert outcome.summary.ended == "failed"
    assert found is not None
    assert (found["model"], found["call"]) == ("broken", call)
    assert found["time"] == pytest.approx(seconds)
    assert "it broke" in str(found["reason"])
    assert type(error).__name__ in str(found["reason"])
    assert outcome.record.calls[-1] == "ended"
    assert outcome.models["witness"].stops == 1


@pytest.mark.parametrize("call", ["register", "initialize"])
def test_an_exception_before_the_run(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Misbehaving, "deeds", {call: raises(ValueError("it broke"))})
    conductor, _, record = conduct(TEXT)
    with pytest.raises(
        RunFailed, match=f"broken: {call} failed at 0.000000 s: ValueError: it broke"
    ):
        conductor.prepare()
    assert record.calls == []


def test_a_step_may_not_complain_of_input(monkeypatch: pytest.MonkeyPatch) -> None:
    error = failing(monkeypatch, "step", raises(BadInput("too late for that"))).summary.error
    assert error is not None
    assert (error["model"], error["call"]) == ("broken", "step")


def test_a_start_may_and_then_nothing_was_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Misbehaving, "deeds", {"start": raises(BadInput("no such hand"))})
    conductor, ports, record = conduct(TEXT)
    conductor.prepare()
    with pytest.raises(BadInput, match="no such hand"):
        conductor.run()
    assert record.calls == []
    assert ports[2].model.stops == 1  # type: ignore[attr-defined]


def test_a_refused_command_is_noted_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = failing(monkeypatch, "command", raises(Refused("not today")))
    assert outcome.summary.ended == "recording"
    assert "broken refused the command jump: not today" in outcome.warnings()
    assert outcome.summary.counters["refusals"] == 1


@pytest.mark.parametrize(("call", "seconds"), [("step", 0.01), ("take", 0.03), ("command", 0.05)])
def test_a_late_answer(call: str, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    # A healthy call of a busy machine takes far less than the deadline, and this one far more.
    text = TEXT.replace("step: service", "deadline: 0.3")
    outcome = failing(monkeypatch, call, lambda *_: time.sleep(0.6), text)
    error = outcome.summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == (
        "broken",
        call,
        pytest.approx(seconds),
    )
    assert "the deadline is 0.3 s" in str(error["reason"])


def test_the_main_model_may_be_late_too() -> None:
    text = """
    scenario: late
    rate: 100
    models:
      physics: {type: "support.toys:ToyPhysics", main: true, deadline: 1, parameters: {until: 0.1, late_at: 0.05}}
    """
    error = run(text).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("physics", "step", 0.05)


def test_the_main_models_exception_names_the_time() -> None:
    text = """
    scenario: fails
    rate: 100
    models:
      physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, fail_at: 0.05}}
    """
    summary = run(text).summary
    error = summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("physics", "step", 0.05)
    assert re.fullmatch(
        r"ValueError: the toy broke \(.*support/toys\.py, line \d+\)", str(error["reason"])
    )
    assert summary.verdict == "failed"


def test_a_model_that_fails_while_it_ends_keeps_nobody_from_ending(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = failing(monkeypatch, "stop", raises(ValueError("it broke")))
    assert outcome.summary.ended == "recording"
    assert outcome.models["witness"].stops == 1
    (row,) = outcome.summary.failures
    assert (row["model"], row["call"], row["then"]) == ("broken", "stop", "the run was over")


@pytest.mark.parametrize("stepping", ["clock", "free"])
def test_a_model_that_nobody_waits_for_fails_the_run_too(
    stepping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Misbehaving, "deeds", {"step": raises(ValueError("it broke"))})
    text = TEXT.replace("step: service", f"step: {stepping}").replace(
        "until: 0.1", "until: 0.1, pace: 0.005"
    )
    error = run(text).summary.error
    assert error is not None
    assert (error["model"], error["call"]) == ("broken", "step")
