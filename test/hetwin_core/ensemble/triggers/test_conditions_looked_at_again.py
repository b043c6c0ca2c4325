"""While an operation lasts, a condition is evaluated again only when something that it read has changed.

The hand moves at each of the steps at 0.05 to 0.3 s; the ball falls until another trigger has it held, at 0.2 s.
"""

from __future__ import annotations

import pytest
from support.counting import CALLS
from support.small_ensemble import Outcome, run, scenario

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.triggers.evaluation import Evaluation

TEXT = """
scenario: looking
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.4, actions: [
    {name: move, at: 0.05, phase: begin, goal: GOAL}, {name: grip, at: 0.2},
    {name: move, at: 0.3, phase: end}]}}
  grasp: {type: "support.toys:ToyGrasp"}
evaluators:
  counted_frame: "support.counting:counted_frame"
  counted_height: "support.counting:counted_height"
  counted_anything: "support.counting:counted_anything"
triggers:
  - name: t
    on: {action: move}
    while: phase
    let: LET
    if: "CONDITION"
    do: [{raise: {event: acted}}]
  - name: hold
    on: {action: grip, phase: instant}
    do: [{hand_over: {entity: ball, attribute: pose, to: grasp}}]
"""
LOOKS = 25
"""Steps at which the operation lasts."""
AFTER_GRIP = 8
"""Those from the first on at which the ball's pose is given in the hand's frame."""


@pytest.fixture(autouse=True)
def no_calls() -> None:
    CALLS.clear()


def outcome(condition: str, let: str = "{}", goal: str = "close") -> Outcome:
    text = TEXT.replace("CONDITION", condition).replace("LET", let).replace("GOAL", goal)
    found = run(text)
    assert found.summary.error is None
    return found


def acted(found: Outcome) -> list[float]:
    return [e.time_ns / 1e9 for e in found.record.events if e.name == "acted"]


def test_what_does_not_change_is_read_once_and_again_when_it_has_changed() -> None:
    found = outcome("counted_frame('ball') == 'hand'")
    assert CALLS["frame"] == 2
    assert acted(found) == pytest.approx([0.22])


def test_what_moves_is_read_at_each_step() -> None:
    outcome("counted_height('ball') < 0.0")
    assert CALLS["height"] == LOOKS


def test_a_part_that_cannot_matter_is_not_looked_at() -> None:
    outcome("counted_frame('ball') == 'hand' && counted_height('ball') < 5.0")
    assert CALLS["frame"] == 2
    assert CALLS["height"] == AFTER_GRIP


def test_a_variable_is_evaluated_only_when_the_condition_needs_it() -> None:
    let = "{high: \"counted_height('ball')\", frame: \"counted_frame('ball')\"}"
    outcome("event.goal != 'open' && frame == 'world' && high < 5.0", let, goal="open")
    assert not CALLS
    found = outcome("event.goal != 'open' && frame == 'hand' && high < 5.0", let)
    assert CALLS["frame"] == 2
    assert CALLS["height"] == AFTER_GRIP
    assert acted(found) == pytest.approx([0.22])


def test_variables_have_values_for_the_effects_also_if_the_condition_needs_none() -> None:
    outcome("event.goal == 'close'", "{frame: \"counted_frame('ball')\"}")
    assert (
        CALLS["frame"] == 2
    )  # it was read for the effects, so it is read again once it has changed


def test_an_evaluator_that_does_not_say_what_it_reads_is_called_at_each_step() -> None:
    outcome("counted_anything()")
    assert CALLS["anything"] == LOOKS


@pytest.mark.parametrize(
    ("goal", "condition", "expected"),
    [
        ("open", "event.goal != 'open' && counted_height('ball') < 5.0", True),
        ("close", "event.goal != 'open'", True),
        ("close", "event.goal != 'open' && counted_height('ball') < 5.0", False),
        ("close", "counted_anything('ball') && event.goal == 'open'", False),
    ],
)
def test_a_condition_that_has_read_nothing_of_the_scene_is_final(
    goal: str, condition: str, expected: bool
) -> None:
    text = TEXT.replace("CONDITION", condition).replace("LET", "{}").replace("GOAL", goal)
    loaded, found = scenario(text), list[tuple[bool, bool]]()

    def watch(now: BetweenSteps) -> None:
        for event in now.events:
            if event.name == "move" and not found:
                evaluation = Evaluation(loaded.functions, lambda: now.scene)
                bound = evaluation.bind(loaded.triggers[0], event, now.time_ns)
                before = bound.is_final
                bound.holds_again(now.time_ns)
                found.append((before, bound.is_final))

    session(loaded, at_barrier=watch).run()
    assert found == [(False, expected)]
