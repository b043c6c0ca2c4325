"""A user moves a responsibility while the run goes on, as a trigger would."""

from __future__ import annotations

from typing import Any

import pytest
from support.held_runs import Held, wait
from support.small_ensemble import HEADER, Misbehaving, run

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.errors import Refused

WATCHED = f"""{HEADER}  watcher: {{type: "support.small_ensemble:Watcher"}}
"""
SLIPPERY = f"""{HEADER}  slippery: {{type: "support.small_ensemble:Misbehaving"}}
  cup: {{type: "support.toys:ToyCup"}}
"""


def give(model: str, answers: list[str | None]) -> Any:
    """A deed that gives the ball to a model."""
    return lambda conductor: conductor.hand_over("ball", "pose", model, answers.append)


def test_a_responsibility_moves_at_the_next_barrier() -> None:
    answers: list[str | None] = []

    def begin(conductor: Conductor) -> None:
        conductor.step_paused(3)
        give("watcher", answers)(conductor)

    held = Held(begin, Conductor.resume, text=WATCHED)
    summary = held.run()
    assert answers == [None]
    (handover,) = summary.handovers
    assert (handover["from"], handover["to"], handover["cause"]) == (
        "physics",
        "watcher",
        "by hand",
    )
    assert handover["time"] == 0.0
    (event,) = [e for e in summary.events if e["name"] == "handed_over"]
    assert event["source"] == "by hand"
    assert event["arguments"] == {
        "entity": "ball",
        "attribute": "pose",
        "from": "physics",
        "to": "watcher",
    }
    assert not summary.deterministic
    assert held.record.scenes[-1].owner("ball", "pose") == "watcher"


def test_it_moves_at_the_barrier_of_the_step_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[str | None] = []
    held = Held(Conductor.resume, text=WATCHED)

    def stepped(step: int, _scene: object) -> None:
        if step == 3:
            give("watcher", answers)(held.conductor)

    monkeypatch.setattr(held.record, "stepped", stepped)
    summary = held.run()
    assert answers == [None]
    assert [h["time"] for h in summary.handovers] == [0.04]


def test_it_moves_back_while_paused() -> None:
    answers: list[str | None] = []
    held = Held(give("watcher", answers), give("physics", answers), Conductor.resume, text=WATCHED)
    summary = held.run()
    assert answers == [None, None]
    assert [h["to"] for h in summary.handovers] == ["watcher", "physics"]


def test_a_refusal_is_quoted_noted_and_changes_no_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise Refused("slippery")

    monkeypatch.setattr(Misbehaving, "deeds", {"take": refuse})
    answers: list[str | None] = []
    held = Held(give("slippery", answers), wait, Conductor.resume, text=SLIPPERY)
    summary = held.run()
    assert answers == ["slippery refused ball.pose: slippery"]
    assert summary.handovers == ()
    assert summary.counters["refusals"] == 1
    assert (0, "warning", "by hand", answers[0]) in held.record.notes
    assert not [e for e in summary.events if e["name"] == "handed_over"]
    assert not summary.deterministic


def test_who_has_it_already_is_refused() -> None:
    answers: list[str | None] = []
    summary = Held(give("physics", answers), wait, Conductor.resume).run()
    assert answers == ["physics is responsible for ball.pose already"]
    assert summary.deterministic
    assert summary.digest == run(HEADER).summary.digest


@pytest.mark.parametrize(
    ("entity", "attribute", "model", "words"),
    [
        ("ghost", "pose", "physics", r"no ghost\.pose$"),
        ("ball", "pose", "phisics", r"no model 'phisics'.*perhaps 'physics'"),
        ("ball", "pose", "cup", "cup cannot be responsible for pose"),
    ],
)
def test_what_cannot_be_is_refused_at_once(
    entity: str, attribute: str, model: str, words: str
) -> None:
    held = Held(text=SLIPPERY)
    with pytest.raises(Refused, match="no simulation is running"):
        held.conductor.hand_over("ball", "pose", "physics", print)
    held.conductor.prepare()
    with pytest.raises(Refused, match=words):
        held.conductor.hand_over(entity, attribute, model, print)
    held.conductor.stop()
    held.conductor.run()


def test_a_wish_that_comes_too_late_is_refused() -> None:
    answers: list[str | None] = []

    def stop(conductor: Conductor) -> None:
        conductor.stop()
        conductor.hand_over("ball", "pose", "watcher", answers.append)

    held = Held(stop, text=WATCHED)
    held.run()
    assert answers == ["the simulation is over"]


def test_the_start_says_which_models_can_be_responsible() -> None:
    held = Held(Conductor.resume, text=WATCHED)
    held.run()
    assert held.record.starts[0].able["pose"] == ("physics", "watcher")
