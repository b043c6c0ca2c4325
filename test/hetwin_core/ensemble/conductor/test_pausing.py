"""A run can be held between two steps, stepped, and things can be put elsewhere meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.held_runs import Held, wait
from support.small_ensemble import HEADER, run

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.scene.values import pose_value

HIGH = pose_value((0.0, 0.0, 5.0)).data


def test_a_paused_run_stands_still_and_then_says_what_it_would_have_said() -> None:
    held = Held(
        wait, lambda c: c.step_paused(2), wait, lambda c: c.step_paused(1), Conductor.resume
    )
    summary = held.run()
    assert held.steps == [0, 0, 2, 2, 3]
    assert summary.ended == "recording"
    assert summary.deterministic
    assert summary.digest == run(HEADER).summary.digest


def test_what_has_been_computed_is_told_before_it_waits() -> None:
    told: list[int] = []
    held = Held(
        lambda c: c.step_paused(3),
        lambda c: told.append(len(held.record.scenes)),
        Conductor.resume,
    )
    held.run()
    assert told == [3]


def test_a_paused_run_can_be_stopped() -> None:
    summary = Held(lambda c: c.step_paused(4), Conductor.stop).run()
    assert (summary.ended, summary.simulated_time) == ("stopped", 0.04)


def test_only_a_paused_run_is_stepped() -> None:
    held = Held()
    with pytest.raises(Refused, match="only a paused run"):
        held.conductor.step_paused(1)
    held.conductor.pause()
    held.conductor.step_paused(2)
    with pytest.raises(Refused, match="only a paused run"):
        held.conductor.step_paused(1)


def test_further_steps_are_added_to_those_under_way() -> None:
    held = Held(lambda c: (c.step_paused(2), c.step_paused(3, further=True)), Conductor.resume)
    held.run()
    assert held.steps == [0, 5]


def test_it_goes_on_up_to_the_next_event() -> None:
    event = "{at: 0.05, name: seen}"
    text = f"""{HEADER}  watcher: {{type: "support.small_ensemble:Watcher", parameters: {{tells: [{event}]}}}}
"""
    held = Held(lambda c: c.step_paused(None), Conductor.resume, text=text)
    assert held.run().deterministic
    assert held.steps == [0, 5]


def test_pauses_and_steps_are_in_the_log_but_no_part_of_the_digest() -> None:
    held = Held(lambda c: c.step_paused(2), wait, Conductor.resume)
    summary = held.run()
    rows = [(e["time"], e["name"], e["source"], e["arguments"]) for e in summary.events]
    assert rows == [
        (0.0, "held", "by hand", {}),
        (0.0, "stepped", "by hand", {"steps": 2}),
        (0.02, "went_on", "by hand", {}),
    ]
    assert [e.name for e in held.record.events] == ["held", "stepped", "went_on"]
    assert summary.deterministic
    assert summary.digest == run(HEADER).summary.digest


def test_the_twin_of_a_live_robot_is_not_paused() -> None:
    held = Held(source="live")
    with pytest.raises(Refused, match="the robot does not wait"):
        held.conductor.pause()


def test_an_object_is_put_elsewhere_and_its_owner_goes_on_from_there() -> None:
    answers: list[str | None] = []
    heights: list[float] = []

    def place(conductor: Conductor) -> None:
        conductor.place("ball", "pose", HIGH, answers.append)

    def look(conductor: Conductor) -> None:
        assert conductor.scene is not None
        heights.append(float(conductor.scene.pose("ball")[2]))
        if len(heights) == 1:
            conductor.step_paused(1)
        else:
            conductor.resume()

    summary = Held(lambda c: c.step_paused(2), place, look, look).run()
    assert answers == [None]
    assert heights[0] == 5.0
    assert heights[1] == pytest.approx(5.0, abs=0.01)
    assert heights[1] < 5.0
    assert not summary.deterministic
    (event,) = [e for e in summary.events if e["name"] == "placed"]
    assert event["arguments"] == {"entity": "ball", "attribute": "pose"}
    assert event["time"] == pytest.approx(0.02)
    assert event["source"] == "by hand"


@pytest.mark.parametrize(
    ("entity", "data", "words"),
    [
        ("hand", HIGH, "nothing but the ball"),
        ("ball", np.full(13, np.nan), "finite"),
        ("ball", np.zeros(13), "quaternion"),
    ],
)
def test_what_cannot_be_placed_stays_where_it_is(entity: str, data: Any, words: str) -> None:
    answers: list[str | None] = []
    held = Held(lambda c: c.place(entity, "pose", data, answers.append), wait, Conductor.resume)
    summary = held.run()
    assert answers[0] is not None
    assert words in answers[0]
    assert summary.digest == run(HEADER).summary.digest


def test_what_is_not_in_the_scene_is_refused_at_once() -> None:
    held = Held()
    with pytest.raises(Refused, match="no simulation is running"):
        held.conductor.place("ball", "pose", HIGH, print)
    held.conductor.prepare()
    with pytest.raises(Refused, match=r"no ghost\.pose"):
        held.conductor.place("ghost", "pose", HIGH, print)
    with pytest.raises(Refused, match="of 3 numbers"):
        held.conductor.place("ball", "pose", HIGH[:3], print)
    held.conductor.stop()
    held.conductor.run()


def test_a_wish_that_comes_too_late_is_answered() -> None:
    answers: list[str | None] = []

    def stop_and_place(conductor: Conductor) -> None:
        conductor.stop()
        conductor.place("ball", "pose", HIGH, answers.append)

    Held(stop_and_place).run()
    assert answers == ["the simulation is over"]


def test_it_stands_while_it_takes_single_steps_but_not_up_to_an_event() -> None:
    pausing = Held().conductor.pausing
    assert not pausing.counts_as_paused
    pausing.hold()
    pausing.allow(2)
    pausing.count_step()
    assert pausing.counts_as_paused
    pausing.count_step()
    assert pausing.must_wait
    assert pausing.counts_as_paused
    pausing.allow(None)
    assert not pausing.counts_as_paused
    pausing.hold()
    pausing.allow(1)
    pausing.resume()
    assert not pausing.counts_as_paused
