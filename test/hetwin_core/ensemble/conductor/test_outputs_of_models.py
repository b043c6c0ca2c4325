"""Answers are checked, and only what a model is responsible for is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from support import toys
from support.small_ensemble import Misbehaving, run

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import MainChanges, Tick
from hetwin_core.ensemble.scene.snapshot import (
    CLEARANCES,
    ROBOT_JOINTS,
    TOUCHES,
    Table,
    proximity_tables,
)
from hetwin_core.ensemble.scene.values import Value, pose_value
from hetwin_core.ensemble.transport.port import MAIN_ONLY

HOLDS = """
scenario: answers
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.05}}
  holder: {type: "support.small_ensemble:Misbehaving"}
responsibilities:
  - {entity: ball, attribute: pose, model: holder}
"""
MAIN = """
scenario: answers
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.05, PARAMETER}}
"""


def ball(value: Value) -> Callable[[Tick], MainChanges]:
    return lambda tick: MainChanges(tick.time_ns, values={("ball", "pose"): value})


def numbers(**changes: Any) -> Value:
    data = pose_value((0.0, 0.0, 1.0)).data
    for index, number in changes.items():
        data[int(index[1:])] = number
    return Value(data, 0)


NOT_UNIT = "must be 13 finite float64 numbers, with a unit quaternion"
WRONG = {
    "NaN": (ball(numbers(_2=np.nan)), NOT_UNIT),
    "infinite": (ball(numbers(_9=np.inf)), NOT_UNIT),
    "no unit": (ball(numbers(_3=0.5)), NOT_UNIT),
    "shape": (ball(Value(np.zeros(7), 0)), NOT_UNIT),
    "single precision": (ball(Value(numbers().data.astype(np.float32), 0)), "float32"),
    "list": (ball(Value([0.0] * 13, 0)), "must be a Value with an array"),  # type: ignore[arg-type]
    "no value": (ball(None), "must be a Value"),  # type: ignore[arg-type]
    "unknown frame": (ball(Value(numbers().data, 0, "moon")), "'moon', which the scene does not"),
    "own frame": (ball(Value(numbers().data, 0, "ball")), "depends on itself: ball in ball"),
    "time stands still": (
        lambda tick: MainChanges(0),
        "it was asked to step to 0.010000000 s",
    ),
    "a mapping": (lambda tick: {}, "returns dict; expected Changes, or nothing"),
    "no JSON": (
        lambda tick: MainChanges(tick.time_ns, events=[Event("e", 0, arguments={"x": {1}})]),  # type: ignore[dict-item]
        "arguments of the event e must be JSON",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_answer_ends_the_run(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    deed, text = WRONG[kind]
    monkeypatch.setattr(Misbehaving, "deeds", {"step": deed})
    summary = run(HOLDS).summary
    assert summary.ended == "failed"
    assert summary.error is not None
    assert summary.error["model"] == "holder"
    assert summary.error["call"] in ("step", "event")
    assert summary.error["time"] in (0.01, 0.0)
    assert text in str(summary.error["reason"])


def test_the_main_models_nan_is_named_by_entity_and_attribute() -> None:
    summary = run(MAIN.replace("PARAMETER", "nan_at: 0.03")).summary
    assert summary.error is not None
    assert (summary.error["call"], summary.error["time"]) == ("step", 0.03)
    assert "ball.pose is not finite" in str(summary.error["reason"])


OF_THE_MAIN_MODEL: dict[str, Any] = {
    "block": np.zeros(13),
    "tables": proximity_tables(np.zeros((0, 12))),
    "ended": True,
    "input_ns": 0,
    "late": True,
    "quiet_ns": 1,
    "await_input": lambda: 1,
}


@pytest.mark.parametrize("part", OF_THE_MAIN_MODEL)
def test_what_only_the_main_model_may_return_fails_any_other(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step(tick: Tick) -> MainChanges:
        return MainChanges(tick.time_ns, **{part: OF_THE_MAIN_MODEL[part]})

    monkeypatch.setattr(Misbehaving, "deeds", {"step": step})
    summary = run(HOLDS).summary
    assert summary.error is not None
    assert (summary.error["model"], summary.error["call"]) == ("holder", "step")
    assert summary.error["reason"] == f"it returns {part}; only the main model may"


def test_every_field_of_an_output_is_any_models_or_the_main_ones() -> None:
    anyones = {"time_ns", "values", "events", "requests"}
    assert {f.name for f in fields(MainChanges)} - anyones == set(MAIN_ONLY)
    assert set(OF_THE_MAIN_MODEL) == set(MAIN_ONLY)


def test_the_main_models_fields_are_given_by_keyword() -> None:
    with pytest.raises(TypeError, match="positional"):
        MainChanges(0, {}, [], [], np.zeros(1))  # type: ignore[misc]


def test_a_model_may_return_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Misbehaving, "deeds", {"step": lambda tick: None})
    assert run(HOLDS.partition("responsibilities")[0]).summary.ended == "recording"


def test_the_main_model_must_return_its_own_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toys.ToyPhysics, "step", lambda self, tick: tick.changes())
    summary = run(MAIN.replace("PARAMETER", "pace: 0.0")).summary
    assert summary.error is not None
    assert "it returns Changes; expected MainChanges" in str(summary.error["reason"])


@pytest.mark.parametrize(
    ("part", "value", "text"),
    [
        ("block", np.zeros(25), r"shape \(25,\).*expected float64 of shape \(26,\)"),
        ("block", np.zeros(26, np.float32), "float32"),
        ("tables", proximity_tables(np.zeros((1, 11))), r"expected float64 of shape \(n, 12\)"),
        (
            "tables",
            proximity_tables(np.full((2, 12), np.nan)),
            "proximity has a row that is not finite",
        ),
        ("tables", {TOUCHES: Table(np.zeros(9, np.float32))}, "the table touches is float32"),
        ("tables", {CLEARANCES: Table(np.full((1, 9), np.nan))}, "a row that is not finite"),
        ("tables", {ROBOT_JOINTS: Table(np.full((1, 4), np.inf))}, "a row that is not finite"),
        ("time_ns", 1, "asked to step to"),
    ],
)
def test_a_wrong_answer_of_the_main_model_ends_the_run(
    part: str, value: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = toys.ToyPhysics.step

    def step(self: toys.ToyPhysics, tick: Tick) -> MainChanges:
        output = right(self, tick)
        setattr(output, part, value)
        return output

    monkeypatch.setattr(toys.ToyPhysics, "step", step)
    summary = run(MAIN.replace(", PARAMETER", "")).summary
    assert summary.error is not None
    assert summary.error["model"] == "physics"
    assert re.search(text, str(summary.error["reason"]))


def test_what_a_model_does_not_own_is_dropped_counted_and_noted_once() -> None:
    text = (
        MAIN.replace(", PARAMETER", "")
        + '  cup: {type: "support.toys:ToyCup", parameters: {strays: true}}\n'
    )
    outcome = run(text.replace("until: 0.05", "until: 0.5"))
    assert outcome.summary.ended == "recording"
    assert outcome.summary.counters["dropped answers"] == 5
    told = [w for w in outcome.warnings() if "not responsible for" in w]
    assert told == ["returns ball.pose, which it is not responsible for; dropped"]
    # the ball falls as physics says, not where the cup puts it
    assert outcome.record.scenes[-1].pose("ball")[2] == pytest.approx(1 - 9.81 * 0.255 * 0.5)
    assert outcome.record.scenes[-1].get("cup", "temperature")[0] < 350


def test_an_answer_that_is_changed_afterwards_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = pose_value((0.0, 0.0, 2.0)).data

    def step(tick: Tick) -> MainChanges:
        data[2] = 2.0 if tick.time_ns == 10_000_000 else data[2]
        output = MainChanges(tick.time_ns)
        if tick.time_ns == 10_000_000:
            output.values["ball", "pose"] = Value(data, tick.time_ns)
        else:
            data[2] = 77.0
        return output

    monkeypatch.setattr(Misbehaving, "deeds", {"step": step})
    scenes = run(HOLDS).record.scenes
    assert [s.pose("ball")[2] for s in scenes] == [2.0] * 5
