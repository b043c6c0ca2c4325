"""A restarted model that fails to take back what it had is restarted again, and then has all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.small_ensemble import Misbehaving, Outcome, run

from hetwin_core.ensemble.model import Changes, Tick

TEXT = """
scenario: fails_in_restart
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [{name: take, at: 0.03}]}}
  holder: {type: "support.small_ensemble:Misbehaving", on_failure: restart}
triggers:
  - {name: takes, on: {action: take, phase: instant}, do: [{hand_over: {entity: ball, attribute: pose, to: holder}}]}
"""


def fails_once_in_step(tick: Tick) -> Changes:
    """Fail at 0.05 s, as the first instance does; later instances are not there at that time."""
    if tick.time_ns == 50_000_000:
        raise ValueError("the step broke")
    return Changes(tick.time_ns)


def fails(calls: set[int]) -> Callable[[], None]:
    """Fail in these calls, counted from 1 over all instances."""
    count = 0

    def deed() -> None:
        nonlocal count
        count += 1
        if count in calls:
            raise ValueError("the take broke")

    return deed


def outcome_of(monkeypatch: pytest.MonkeyPatch, failing_takes: set[int]) -> Outcome:
    deeds: dict[str, Any] = {"step": fails_once_in_step, "take": fails(failing_takes)}
    monkeypatch.setattr(Misbehaving, "deeds", deeds)
    return run(TEXT)


def test_the_second_restart_gives_back_what_the_first_could_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outcome = outcome_of(monkeypatch, {2})
    assert outcome.summary.ended == "recording"
    assert outcome.moves() == [
        (0.03, "physics", "holder"),
        (0.05, "holder", "physics"),
        (0.05, "physics", "holder"),
    ]
    assert [(row["call"], row["then"]) for row in outcome.summary.failures] == [
        ("step", "restarted (1 of 3)"),
        ("take", "restarted (2 of 3)"),
    ]
    assert outcome.record.scenes[-1].owner("ball", "pose") == "holder"
    assert ("ball", "pose") in outcome.models["holder"].held


def test_every_failure_is_published_before_what_became_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = outcome_of(monkeypatch, {2}).record.notes
    told = [
        (level, text.partition(" failed")[0]) for _, level, who, text in notes if who == "holder"
    ]
    assert told == [
        ("error", "step"),
        ("warning", "restarted (1 of 3)"),
        ("error", "take"),
        ("warning", "restarted (2 of 3)"),
    ]


def test_restarts_that_always_fail_so_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_of(monkeypatch, set(range(2, 100)))
    error = outcome.summary.error
    assert outcome.summary.ended == "failed"
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("holder", "take", 0.05)
    assert str(error["reason"]).startswith("ValueError: the take broke (")
    assert str(error["reason"]).endswith("); it was restarted 3 times before")
    assert [row["then"] for row in outcome.summary.failures] == [
        f"restarted ({n} of 3)" for n in (1, 2, 3)
    ]
    assert outcome.summary.handovers[-1]["to"] == "physics"
