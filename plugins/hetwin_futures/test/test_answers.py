"""An announcement in a run, the question that the twin asks, and the answers; without the middleware."""

from __future__ import annotations

import json
import pickle
import time
from typing import Any

import pytest

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import announce
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_futures import foreteller
from hetwin_futures.announced import Question
from hetwin_futures.foreteller import AFTER_S, PredictionRequests
from hetwin_suite._study.root import Root
from hetwin_suite._study.run_result import Moment
from hetwin_suite._study.study import Study

LIFTED = 0.4
WAY = {
    "joint_names": ["shoulder_lift_joint"],
    "points": [
        {"time_from_start": 0.0, "positions": [0.0]},
        {"time_from_start": 0.1, "positions": [LIFTED]},
    ],
}


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    """A robot whose box is uncertain."""
    return load_scenario(find_scenario("pick_and_place"))


@pytest.fixture(scope="module")
def question(scenario: Scenario) -> Question:
    """What the twin asks when a motion is announced."""
    asked: list[Question] = []
    options = RunOptions(duration=0.1)
    conductor = session(scenario, options=options)
    conductor.at_barriers(PredictionRequests(conductor, asked.append).look)
    said = {"hand": "gripper", "start": 0.2, "trajectory": WAY}
    conductor.notify(announce("wave", "announced", said, 0, "robot"))
    conductor.notify(announce("wave", "instant", {}, 0, "robot"))
    summary = conductor.run()
    assert summary.error is None
    (one,) = asked
    return pickle.loads(pickle.dumps(one))


def answers(question: Question, scenario: Scenario, left_s: float) -> list[dict[str, Any]]:
    """The answers if the action begins so soon."""
    published: list[dict[str, Any]] = []
    awaited = [one._replace(effect_s=time.time() + left_s) for one in question.awaited]
    soon = question._replace(awaited=tuple(awaited), horizon_s=0.02)
    study = Study(scenario, foreteller.without_source(scenario, RunOptions()), jobs=1)
    root = Root(study)
    root.prepare()
    foreteller.answers(soon, study, root, published.append)
    json.dumps(published)
    return published


def test_the_twin_saves_itself_with_what_was_announced_as_its_plan(question: Question) -> None:
    (one,) = question.awaited
    assert (one.operation, one.arguments) == ("wave", {"hand": "gripper"})
    steps = question.source["plan"]
    assert [(step["trajectory"], step["at"]) for step in steps] == [(WAY, 0.2)]
    assert question.begin_s == pytest.approx(0.2, abs=0.01)
    assert question.horizon_s == pytest.approx(0.1 + AFTER_S, abs=0.01)


def test_answers_are_about_all_futures_so_far(
    question: Question, scenario: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreteller, "MOST", 3)
    first, second, last = answers(question, scenario, 300.0)
    assert [one["futures"]["finished"] for one in (first, second, last)] == [1, 2, 3]
    assert [one["final"] for one in (first, second, last)] == [False, False, True]
    assert first["operation"] == "wave"
    assert first["at"] == pytest.approx(question.begin_s, abs=0.0026)  # one step of the main model
    assert 0.0 < last["before_effect_s"] < first["before_effect_s"] <= 300.0
    assert {row["of"] for row in last["predicates"]} == {3}


def test_futures_go_on_when_what_was_announced_is_over(
    question: Question, scenario: Scenario
) -> None:
    options = foreteller.without_source(scenario, RunOptions())
    root = Root(Study(scenario, options, horizon_s=question.horizon_s, jobs=1))
    (future,) = root.at_moment(
        Moment(question.begin_s),
        lambda now: list(now.runs([now.draw(0)])),
        checkpoint=question.checkpoint,
        source=question.source,
    )
    assert future.error is None
    assert future.end_ns / 1e9 == pytest.approx(0.3 + AFTER_S, abs=0.01)


def test_there_is_no_answer_when_the_action_has_begun(
    question: Question, scenario: Scenario
) -> None:
    assert answers(question, scenario, -1.0) == []
