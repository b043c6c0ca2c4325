"""An observer of the robot is added to each run whose main model reports about one, and is no part of the digest."""

from __future__ import annotations

from typing import Any

import pytest
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.errors import BadInput
from model_nodes.robot_health.model import RobotHealth

TEXT = """
scenario: watched
rate: 100
models:
  physics:
    type: "support.watched_toy:WatchedToy"
    main: true
    parameters:
      until: 1.0
      touch: [0.2, 0.5, 0.005]
      actions: [{{name: grasp, at: 0.1}}]
  grasp: {{type: "support.toys:ToyGrasp"}}
triggers:
  - name: takes
    on: {{action: grasp, phase: instant}}
    do: [{{hand_over: {{entity: ball, attribute: pose, to: grasp}}}}]
{more}
"""


def watched(more: str = "") -> Outcome:
    return run(TEXT.format(more=more))


def test_its_events_become_concerns_and_a_verdict() -> None:
    outcome = watched()
    (concern,) = outcome.summary.concerns
    assert (concern["name"], concern["severity"], concern["count"]) == (
        "link_touches",
        "warning",
        1,
    )
    assert concern["from"] == pytest.approx(0.2, abs=0.041)
    assert concern["to"] == pytest.approx(0.5, abs=0.041)
    assert isinstance(concern["arguments"], dict)
    assert concern["arguments"]["link"] == "forearm"
    assert concern["arguments"]["partner"] == "table"
    assert concern["text"] == "forearm touches table and is 5 mm inside"
    assert outcome.summary.verdict == "doubtful"


def test_neither_its_events_nor_its_attributes_change_the_digest() -> None:
    on, off = watched(), watched("robot_health: off")
    assert on.summary.digest == off.summary.digest
    assert on.names() != off.names()


def test_off_leaves_nothing_of_it() -> None:
    outcome = watched("robot_health: off")
    layout = outcome.record.scenes[-1].layout
    assert not layout.has("arm", "joint_deviation")
    assert not layout.has("arm", "effort_residual")
    assert [e for e in outcome.record.events if e.source == "robot_health"] == []
    assert (outcome.summary.concerns, outcome.summary.verdict) == ((), "unchecked")
    assert outcome.summary.coverage == ()
    assert [p["model"] for p in outcome.summary.processes] == ["physics", "grasp"]


def test_it_contributes_deviation_and_residual_of_the_joints() -> None:
    scene = watched().record.scenes[-1]
    assert scene.get("arm", "joint_deviation").tolist() == [0.0, 0.0]
    assert scene.get("arm", "effort_residual").tolist() == [1.0, 0.0]


@pytest.mark.parametrize("value", ["on", "true", "{}"])
def test_on_is_what_it_is_without_the_key(value: str) -> None:
    assert watched(f"robot_health: {value}").summary.concerns == watched().summary.concerns


def test_its_parameters_are_those_of_the_key() -> None:
    outcome = watched("robot_health: {link_touches: {warning: 0.01}}")
    (concern,) = outcome.summary.concerns
    assert concern["severity"] == "note"
    assert outcome.summary.verdict == "unchecked"


@pytest.mark.parametrize(
    ("value", "where", "found"),
    [
        ("{link_touch: {warning: 0.01}}", "robot_health.link_touch", "link_touch"),
        ("{link_touches: {warning: -1}}", "robot_health.link_touches.warning", "-1"),
        ("{watch: {}}", "robot_health.watch", "watch"),
        ("{engine: auto}", "robot_health.engine", "engine"),
        ("sometimes", "robot_health", "sometimes"),
        ("3", "robot_health", "3"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(value: str, where: str, found: str) -> None:
    with pytest.raises(BadInput) as error:
        watched(f"robot_health: {value}")
    assert where in str(error.value.where)
    assert "line" in str(error.value.where)
    assert found in str(error.value)


def test_a_model_of_its_name_is_refused() -> None:
    text = TEXT.format(more="").replace("  grasp: {type", "  robot_health: {type")
    with pytest.raises(BadInput, match="this name is taken"):
        run(text)


def test_a_trigger_may_wait_for_its_events() -> None:
    more = '  - {name: ends, on: {event: robot_health.link_touches}, do: [{stop: "it touches"}]}'
    outcome = watched(more)
    assert outcome.summary.ended == "stopped"
    assert outcome.summary.simulated_time == pytest.approx(0.2, abs=0.041)


def test_a_run_goes_on_without_it_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    good = watched()
    step = RobotHealth.step

    def broken(self: RobotHealth, tick: Any) -> Any:
        if tick.time_ns >= 300_000_000:
            raise ValueError("it broke")
        return step(self, tick)

    monkeypatch.setattr(RobotHealth, "step", broken)
    summary = watched().summary
    assert (summary.ended, summary.error) == ("recording", None)
    assert summary.simulated_time == good.summary.simulated_time
    assert summary.digest == good.summary.digest
    (failure,) = summary.failures
    assert (failure["model"], failure["then"]) == ("robot_health", "handed back")
    assert "it broke" in str(failure["reason"])
    names = {concern["name"]: concern for concern in summary.concerns}
    assert set(names) == {"link_touches", "not_watched"}
    assert names["not_watched"]["from"] == pytest.approx(0.3, abs=0.041)
    assert summary.verdict == "doubtful"


def test_a_main_model_that_reports_nothing_is_not_watched() -> None:
    text = TEXT.format(more="").replace("watched_toy:WatchedToy", "toys:ToyPhysics")
    text = text.replace("      touch: [0.2, 0.5, 0.005]\n", "")
    assert [p["model"] for p in run(text).summary.processes] == ["physics", "grasp"]
