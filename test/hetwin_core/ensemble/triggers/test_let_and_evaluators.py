"""let binds variables in order; evaluators are named expressions that see them."""

from __future__ import annotations

from typing import Any

import pytest
from support.small_ensemble import Outcome, run, scenario

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.triggers.evaluation import Evaluation
from hetwin_suite.runs import BetweenSteps, RunOptions, load_scenario, session

TEXT = """
scenario: binding
rate: 100
models:
  physics: {type: "support.toys:ToyPhysics", main: true, parameters: {until: 0.1, actions: [
    {name: go, at: 0.05, hand: hand, numbers: [1, 2, 3]}]}}
evaluators:
  target: "nearest_object(hand, {'within': reach, 'kind': 'graspable'})"
  reach: "0.5"
triggers:
  - name: t
    on: {action: go, phase: instant}
    let: LET
    if: "CONDITION"
    do: [{raise: {event: said, arguments: {value: $x, plain: "x", list: [$x, 1]}}}]
"""


def said(let: str, condition: str = "true") -> Any:
    text = TEXT.replace("LET", let).replace("CONDITION", condition)
    outcome = run(text)
    assert outcome.summary.error is None
    found = [e.arguments for e in outcome.record.events if e.name == "said"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("let", "value"),
    [
        ('{x: "1 + 2"}', 3),
        ('{a: "2.0", x: "a * a"}', 4.0),
        ("{x: event.hand}", "hand"),
        ("{x: event.name + event.source}", "gophysics"),
        ("{x: event.time}", 0.05),
        ("{x: event.numbers}", [1, 2, 3]),
        ('{x: "event.numbers.exists(n, n > 2)"}', True),
        ("{hand: event.hand, x: target}", "ball"),
        ('{hand: event.hand, x: "target != null && distance(hand, target) < reach"}', True),
        ("{x: \"nearest_object('hand', {'within': 0.001})\"}", None),
    ],
)
def test_values(let: str, value: Any) -> None:
    assert said(let) == {"value": value, "plain": "x", "list": [value, 1]}


def test_a_condition_sees_the_variables() -> None:
    assert said('{x: "1"}', "x > 1") is None
    assert said('{x: "2"}', "x > 1") is not None


@pytest.mark.parametrize(
    ("let", "condition", "text"),
    [
        ('{x: "y", y: "1"}', "true", r"triggers.0.let.x: unknown variable 'y'"),
        ("{x: target}", "true", r"the evaluator 'target' needs the variable 'hand'"),
        ('{x: "1 +"}', "true", r"triggers.0.let.x: the expression has a syntax error"),
        ('{x: "1"}', "nothing(x)", r"triggers.0.if: unknown evaluator 'nothing'"),
        ('{y: "1"}', "true", r"triggers.0.do.0: unknown variable 'x'"),
        ('{1x: "1"}', "true", r"triggers.0.let"),
    ],
)
def test_wrong_expressions_are_refused_before_the_run(let: str, condition: str, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        scenario(TEXT.replace("LET", let).replace("CONDITION", condition))


@pytest.mark.parametrize(
    ("evaluators", "text"),
    [
        ("{a: b, b: a}", "'a -> b -> a'"),
        ("{a: a + 1}", "'a -> a'"),
        ('{distance: "1"}', "an evaluator of this name exists already"),
        ('{a: "foo(1)"}', "unknown evaluator 'foo'"),
    ],
)
def test_wrong_evaluators_are_refused(evaluators: str, text: str) -> None:
    head, _, tail = TEXT.partition("evaluators:")
    rest = tail[tail.index("triggers:") :]
    full = f"{head}evaluators: {evaluators}\n{rest}".replace("LET", '{x: "1"}')
    with pytest.raises(BadInput, match=text):
        scenario(full.replace("CONDITION", "true"))


def failed(let: str) -> Outcome:
    outcome = run(TEXT.replace("LET", let).replace("CONDITION", "true"))
    assert outcome.summary.ended == "failed"
    return outcome


@pytest.mark.parametrize(
    ("let", "reason"),
    [
        ("{x: event.elbow}", "elbow"),
        ("{x: \"height('dog')\"}", "height('dog'): the scene has no dog.pose"),
        ("{x: \"nearest_object('hand', {'near': 1})\"}", "knows 'within' and 'kind'"),
        ('{x: "1 / 0"}', "1 / 0"),
    ],
)
def test_an_expression_without_a_value_fails_the_run_and_says_which(let: str, reason: str) -> None:
    error = failed(let).summary.error
    assert error is not None
    assert (error["model"], error["call"], error["time"]) == ("trigger t", "evaluate", 0.05)
    assert reason in str(error["reason"])


def test_who_watches_a_trigger_evaluates_expressions_of_their_own_with_its_variables() -> None:
    loaded = load_scenario("pick_and_place")
    (trigger,) = (t for t in loaded.triggers if t.name == "grasp_begins")
    found: list[object] = []

    def watch(now: BetweenSteps) -> None:
        for event in now.events:
            if event.name == "grip_closed":
                bound = Evaluation(loaded.functions, lambda: now.scene).bind(
                    trigger, event, now.time_ns
                )
                found.append(bound.value(Expression("object + ' in ' + hand")))

    session(loaded, options=RunOptions(duration=4.5), at_barrier=watch).run()
    assert found == ["box in gripper"]
