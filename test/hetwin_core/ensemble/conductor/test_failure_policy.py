"""What the failure policy decides, by what the scenario says and what has failed before."""

from __future__ import annotations

import numpy as np
from support.small_ensemble import scenario

from hetwin_core.ensemble.conductor.failures import (
    MAX_RESTARTS,
    FailurePolicy,
    HandBack,
    Restart,
    RestartFailed,
    Stop,
)
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.scene import ResponsibilityTable
from hetwin_core.ensemble.scene.values import POSE

TEXT = """
scenario: policy
models:
  physics: {type: "support.toys:ToyPhysics", main: true}
  stops: {type: "support.small_ensemble:Watcher"}
  gives: {type: "support.small_ensemble:Watcher", on_failure: hand_back}
  again: {type: "support.small_ensemble:Watcher", on_failure: restart}
"""
NAMES = ("physics", "stops", "gives", "again")
OWNERS = (0, 3, 2, 3)


def policy() -> FailurePolicy:
    """The policy of a scene with four objects."""
    entities = [Entity(f"box_{i}", EntityKind.OBJECT) for i in range(len(OWNERS))]
    layout = Layout.build(entities, [(e.name, POSE) for e in entities])
    return FailurePolicy(
        scenario(TEXT), ResponsibilityTable(layout, NAMES, np.array(OWNERS, np.int32))
    )


def failure(model: str) -> RunFailed:
    return RunFailed(model, "step", 0, "it broke")


def test_a_model_that_may_not_fail_stops_the_run() -> None:
    for name in ("physics", "stops", "log"):  # the log is no model
        error = failure(name)
        assert policy().is_fatal(error)
        assert policy().decide(error) == Stop(error)


def test_a_model_hands_back_what_it_has_but_once() -> None:
    decides = policy()
    decision = decides.decide(failure("gives"))
    assert isinstance(decision, HandBack)
    assert (decision.plan.name, decision.slots) == ("gives", (2,))
    assert decides.decide(failure("gives")) is None
    assert not decides.is_fatal(failure("gives"))


def test_a_model_is_restarted_so_often_and_then_handed_back_before_the_run_stops() -> None:
    decides = policy()
    for attempt in range(1, MAX_RESTARTS + 1):
        decision = decides.decide(failure("again"))
        assert isinstance(decision, Restart)
        assert (decision.attempt, decision.slots) == (attempt, (1, 3))
    last = decides.decide(failure("again"))
    assert isinstance(last, Stop)
    assert last.error.reason == "it broke; it was restarted 3 times before"
    assert last.give_up_first is not None
    assert last.give_up_first.slots == (1, 3)


def test_a_restart_that_fails_is_not_tried_again() -> None:
    error = RestartFailed("again", "start", 0, "at its restart: it broke")
    assert policy().decide(error) == Stop(error)
