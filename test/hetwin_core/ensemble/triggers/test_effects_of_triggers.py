"""What triggers do: hand over, command, raise, stop; names among the arguments may be expressions."""

from __future__ import annotations

import pytest
from support.small_ensemble import Outcome, run, scenario

from hetwin_core.ensemble.errors import BadInput

TEXT = """
scenario: effects
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [
    {name: go, at: 0.05, who: a, what: ball, number: 7}]}}
  a: {type: "support.small_ensemble:Watcher"}
triggers:
  - {name: t, on: {action: go, phase: instant}, do: [DO]}
"""


def do(effect: str) -> Outcome:
    return run(TEXT.replace("DO", effect))


def test_names_from_the_event() -> None:
    outcome = do("{hand_over: {entity: $event.what, attribute: pose, to: $event.who}}")
    assert outcome.moves() == [(0.05, "physics", "a")]


def test_a_command_with_arguments() -> None:
    outcome = do(
        "{command: {model: a, name: heat, arguments: {to: $event.number, deep: {x: [$event.what]}}}}"
    )
    assert outcome.models["a"].commands == [("heat", {"to": 7, "deep": {"x": ["ball"]}})]


def test_a_refused_command_is_noted() -> None:
    outcome = do("{command: {model: a, name: 'no'}}")
    assert outcome.warnings() == ["a refused the command no: never"]
    assert outcome.summary.ended == "recording"


def test_stop_lets_the_other_effects_of_the_step_happen() -> None:
    outcome = do("{stop: $event.what}, {hand_over: {entity: ball, attribute: pose, to: a}}")
    assert (outcome.summary.ended, outcome.summary.simulated_time) == ("stopped", 0.05)
    assert outcome.moves() == [(0.05, "physics", "a")]


@pytest.mark.parametrize(
    ("effect", "call", "reason"),
    [
        (
            "{hand_over: {entity: $event.what, attribute: $event.what, to: a}}",
            "hand_over",
            "the scene has no ball.ball",
        ),
        (
            "{hand_over: {entity: ball, attribute: pose, to: $event.what}}",
            "hand_over",
            "no model 'ball'",
        ),
        ("{command: {model: $event.what, name: x}}", "command", "there is no model 'ball'"),
        (
            "{hand_over: {entity: $event.number, attribute: pose, to: a}}",
            "hand_over.entity",
            "$event.number is 7; expected a name",
        ),
    ],
)
def test_what_turns_out_wrong_fails_the_run(effect: str, call: str, reason: str) -> None:
    error = do(effect).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("trigger t", call, 0.05)
    assert reason in str(error["reason"])


@pytest.mark.parametrize(
    ("effect", "where"),
    [
        (
            "{hand_over: {entity: ball, attribute: pose, to: nobody}}",
            "triggers.0.do.0.hand_over.to",
        ),
        ("{stop: x}, {command: {model: nobody, name: x}}", "triggers.0.do.1.command.model"),
    ],
)
def test_unknown_models_are_refused_before_the_run(effect: str, where: str) -> None:
    with pytest.raises(BadInput, match=where) as error:
        scenario(TEXT.replace("DO", effect))
    assert error.value.expected == "one of a, physics"
