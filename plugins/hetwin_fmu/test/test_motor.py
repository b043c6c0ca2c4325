"""A unit in an ensemble: inputs, outputs, units, events, handovers, commands, its end and its messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import yaml
from motor_unit import WRONG, motor
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import POSE, Floats, Meaning

RATE = 100
GAIN, LAG = 2.0, 0.1
BOTH = pytest.mark.parametrize("version", [2, 3])


def ensemble(version: int = 3, *, until: float = 1.0, **parts: Any) -> Outcome:
    """Run a motor beside the toy physics; `triggers` and what else a scenario has may be among the parts."""
    parameters: dict[str, Any] = {
        "file": str(motor(version)),
        "concepts": ["motor"],
        "outputs": {"motor.speed": "speed"},
        "inputs": {"voltage": 3},
    }
    parameters |= parts.pop("parameters", {})
    model = {"type": "fmu", "rate": RATE, "parameters": parameters, **parts.pop("model", {})}
    physics = {"type": "support.toys:ToyPhysics", "main": True, "parameters": {"until": until}}
    physics["parameters"] |= parts.pop("physics", {})  # type: ignore[operator]
    models = {"physics": physics, "motor": model}
    return run(yaml.safe_dump({"scenario": "small", "rate": RATE, "models": models, **parts}))


def series(outcome: Outcome, attribute: str, entity: str = "motor") -> Floats:
    """(steps, size) an attribute after each step."""
    return np.array([scene.get(entity, attribute) for scene in outcome.record.scenes])


def lagged(times: Floats, wanted: float, start: float = 0.0) -> Floats:
    """The motor's speed at a constant voltage."""
    return wanted + (start - wanted) * np.exp(-times / LAG)


def times(outcome: Outcome) -> Floats:
    """(steps,) of the scenes [s]."""
    return np.array([scene.time_ns for scene in outcome.record.scenes]) / 1e9


@BOTH
def test_its_outputs_are_attributes_with_their_units(version: int) -> None:
    outputs = {"motor.speed": "speed", "motor.state": ["speed", "temperature"], "motor.hot": "hot"}
    outcome = ensemble(version, parameters={"outputs": outputs})
    speed = lagged(times(outcome), 3 * GAIN)
    assert series(outcome, "speed")[:, 0] == pytest.approx(speed, abs=1e-9)
    assert series(outcome, "state")[:, 0] == pytest.approx(speed, abs=1e-9)
    layout = outcome.record.starts[0].layout
    specs = {slot.attribute.name: slot.attribute for slot in layout.slots if slot.entity == "motor"}
    assert (specs["speed"].unit, specs["speed"].size) == ("rad/s", 1)
    assert (specs["state"].unit, specs["state"].size) == ("rad/s, K", 2)
    assert specs["hot"].meaning is Meaning.TRUTH
    assert series(outcome, "hot")[0] == [0.0]
    assert series(outcome, "hot")[-1] == [1.0]


def test_an_array_is_one_attribute() -> None:
    outcome = ensemble(parameters={"outputs": {"motor.windings": "windings"}})
    windings = series(outcome, "windings")
    assert windings.shape[1] == 3
    assert windings[-1] == pytest.approx(windings[-1, 0] * np.array([1.0, 2.0, 3.0]))


@BOTH
def test_inputs_follow_the_scene(version: int) -> None:
    inputs = {
        "voltage": {"of": "hand.pose[0]", "factor": 10, "offset": 1},
        "enabled": True,
        "gear": 2,
    }
    outcome = ensemble(version, parameters={"inputs": inputs})
    speed = 0.0
    for time, found in zip(times(outcome), series(outcome, "speed")[:, 0], strict=True):
        wanted = 2 * GAIN * (10 * 0.1 * time + 1)
        speed = float(lagged(np.array(1 / RATE), wanted, speed))
        assert found == pytest.approx(speed, abs=1e-9)


def test_inputs_are_converted_by_their_units() -> None:
    parameters = {
        "inputs": {"voltage": 3},
        "outputs": {"motor.speed": "speed"},
        "start": {"speed_start": "hand.pose[10]"},
    }
    assert ensemble(parameters=parameters).summary.error is None
    with pytest.raises(
        BadInput, match=r"inputs\.voltage: these units measure different things.*'m for V'"
    ):
        ensemble(parameters={"inputs": {"voltage": "hand.pose[0]"}})


@BOTH
def test_substeps_are_its_own(version: int) -> None:
    outputs = {"motor.temperature": "temperature"}
    coarse = ensemble(version, parameters={"outputs": outputs})
    fine = ensemble(version, parameters={"outputs": outputs, "step": 0.001})
    exact = 293.15 + 36 * (1.0 - 2 * LAG * (1 - math.exp(-10)) + LAG / 2 * (1 - math.exp(-20)))
    errors = [abs(series(o, "temperature")[-1, 0] - exact) for o in (coarse, fine)]
    assert errors[1] < errors[0] / 5


@BOTH
def test_changes_raise_events(version: int) -> None:
    physics = {"actions": [{"name": "shift", "at": 0.5, "phase": "begin"}]}
    trigger = {
        "name": "shifts",
        "on": {"action": "shift"},
        "do": [
            {
                "command": {
                    "model": "motor",
                    "name": "set",
                    "arguments": {"gear": 3, "enabled": False},
                }
            }
        ],
    }
    events = {"overheated": "hot", "shifted": "gear", "stopped": "not enabled"}
    outcome = ensemble(version, parameters={"events": events}, physics=physics, triggers=[trigger])
    raised = {e.name: e for e in outcome.record.events if e.source == "motor"}
    assert dict(raised["overheated"].arguments) == {"variable": "hot"}
    assert dict(raised["shifted"].arguments) == {"variable": "gear", "before": 1, "value": 3}
    assert raised["shifted"].time_ns == raised["stopped"].time_ns == 510_000_000
    assert outcome.names().count("overheated") == 1


@BOTH
def test_one_that_ends_itself_keeps_its_last_values(version: int) -> None:
    outcome = ensemble(version, parameters={"start": {"wrong": WRONG["end"]}})
    assert outcome.summary.ended == "recording"
    ended = [e for e in outcome.record.events if e.name == "ended"]
    assert [(e.time_ns, dict(e.arguments)) for e in ended] == [
        (500_000_000, {"unit": "Motor", "time": 0.5})
    ]
    speeds = series(outcome, "speed")[:, 0]
    assert speeds[-1] == pytest.approx(float(lagged(np.array(0.5), 3 * GAIN)))
    assert (speeds[50:] == speeds[-1]).all()


@BOTH
def test_what_it_logs_is_in_the_log(version: int) -> None:
    outcome = ensemble(version, parameters={"start": {"wrong": WRONG["log"]}})
    said = [dict(e.arguments) for e in outcome.record.events if e.name == "message"]
    assert said[0] == {
        "level": "warning",
        "category": "logStatusError",
        "text": "the brushes spark",
    }
    assert len(said) == 21  # of 51
    assert said[-1]["text"] == "further messages are not shown"


@BOTH
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("error", "DoStep returned error: the bearing is worn"),
        ("fatal", "DoStep returned fatal: the motor burns"),
        ("refuse", "DoStep returned discard"),
        ("nan", "its variable speed is not finite: nan"),
    ],
)
def test_a_failure_is_a_fault_that_names_it(version: int, wrong: str, words: str) -> None:
    outcome = ensemble(version, parameters={"start": {"wrong": WRONG[wrong], "wrong_at": 0.3}})
    assert outcome.summary.ended == "failed"
    error = outcome.summary.error
    assert error is not None
    assert (error["model"], error["call"]) == ("motor", "step")
    assert "Motor: " in str(error["reason"])
    assert words in str(error["reason"])
    assert error["time"] == pytest.approx(0.3)


def test_a_fault_hands_its_attributes_back() -> None:
    parameters = {"start": {"wrong": WRONG["error"]}}
    outcome = ensemble(parameters=parameters, model={"on_failure": "hand_back"})
    assert outcome.summary.ended == "recording"
    assert outcome.moves() == [(0.5, "motor", "physics")]


@BOTH
def test_a_restarted_one_begins_from_the_last_good_value(version: int) -> None:
    parameters = {"start": {"wrong": WRONG["error"], "speed_start": "motor.speed"}}
    outcome = ensemble(version, parameters=parameters, model={"on_failure": "restart"}, until=0.505)
    assert outcome.summary.failures
    speeds = series(outcome, "speed")[:, 0]
    assert speeds[-1] == speeds[-2] == pytest.approx(float(lagged(np.array(0.49), 3 * GAIN)))


BALL = {
    "outputs": {"ball.pose[2]": "height"},
    "takes_over": ["ball.pose"],
    "start": {"height_start": "ball.pose[2]"},
    "concepts": [],
}
"""The motor lifts the ball."""
HANDED = {
    "physics": {
        "actions": [
            {"name": "grasp", "at": 0.3, "phase": "begin"},
            {"name": "drop", "at": 0.6, "phase": "begin"},
        ]
    },
    "triggers": [
        {
            "name": "grasps",
            "on": {"action": "grasp"},
            "do": [{"hand_over": {"entity": "ball", "attribute": "pose", "to": "motor"}}],
        },
        {
            "name": "drops",
            "on": {"action": "drop"},
            "do": [{"hand_over": {"entity": "ball", "attribute": "pose", "to": "physics"}}],
        },
    ],
}


@BOTH
def test_it_takes_an_attribute_over_and_gives_it_back(version: int) -> None:
    outcome = ensemble(version, parameters=BALL, **HANDED)
    assert outcome.moves() == [(0.3, "physics", "motor"), (0.6, "motor", "physics")]
    heights = series(outcome, POSE.name, "ball")[:, 2]
    when = times(outcome)
    led = (when > 0.305) & (when < 0.605)
    rises = 0.05 / RATE * np.cumsum(lagged(when[led] - 0.3, 3 * GAIN))
    assert heights[led] == pytest.approx(heights[when < 0.305][-1] + rises, abs=1e-9)
    assert not any("dropped" in text for text in outcome.warnings())


def test_what_it_cannot_begin_from_it_keeps() -> None:
    outcome = ensemble(
        physics={"actions": [{"name": "grasp", "at": 0.3, "phase": "begin"}]},
        triggers=[
            {
                "name": "grasps",
                "on": {"action": "grasp"},
                "do": [{"hand_over": {"entity": "motor", "attribute": "speed", "to": "motor"}}],
            }
        ],
    )
    assert outcome.moves() == []


@BOTH
def test_its_state_is_saved_and_restored(version: int) -> None:
    def command(name: str, when: str) -> dict[str, Any]:
        return {
            "name": name,
            "on": {"action": when},
            "do": [{"command": {"model": "motor", "name": name, "arguments": {"name": "cold"}}}],
        }

    actions = [
        {"name": "first", "at": 0.2, "phase": "begin"},
        {"name": "later", "at": 0.6, "phase": "begin"},
    ]
    triggers = [command("save", "first"), command("restore", "later")]
    outcome = ensemble(version, physics={"actions": actions}, triggers=triggers)
    speeds = series(outcome, "speed")[:, 0]
    when = times(outcome)
    again = lagged(np.array(0.21), 3 * GAIN)
    assert speeds[np.searchsorted(when, 0.609)] == pytest.approx(float(again), abs=1e-9)


@BOTH
def test_two_of_a_kind_do_not_share_anything(version: int) -> None:
    def unit(name: str, voltage: float) -> dict[str, Any]:
        parameters = {
            "file": str(motor(version)),
            "concepts": [name],
            "inputs": {"voltage": voltage},
            "outputs": {f"{name}.speed": "speed"},
        }
        return {"type": "fmu", "rate": RATE, "parameters": parameters}

    physics = {"type": "support.toys:ToyPhysics", "main": True}
    models = {"physics": physics, "left": unit("left", 1), "right": unit("right", 2)}
    outcome = run(yaml.safe_dump({"scenario": "small", "rate": RATE, "models": models}))
    left, right = (series(outcome, "speed", name)[:, 0] for name in ("left", "right"))
    assert left == pytest.approx(lagged(times(outcome), GAIN), abs=1e-9)
    assert right == pytest.approx(2 * left)


@BOTH
def test_one_that_cannot_be_reset_begins_as_another_instance(version: int) -> None:
    parameters = {"start": {"wrong": WRONG["stubborn"], "speed_start": {"of": "hand.pose[2]"}}}
    outcome = ensemble(version, parameters=parameters)
    assert outcome.summary.ended == "recording"
    speed = lagged(times(outcome), 3 * GAIN, start=1.1)
    assert series(outcome, "speed")[:, 0] == pytest.approx(speed, abs=1e-9)
