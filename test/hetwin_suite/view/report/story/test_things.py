"""The sentences about things."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.made_episode import made_episode, observed, poses, seconds

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.story.robots import resting_objects, thing_sentences

BOX, JUG = Entity("box", EntityKind.OBJECT), Entity("jug", EntityKind.OBJECT)


def episode(*events: Event, box: Any = (0.0, 0.0, 0.0)) -> Episode:
    places = {("box", POSE): poses(box), ("jug", POSE): poses((1.0, 0.0, 0.0))}
    return made_episode([BOX, JUG], places, events=events)


def texts(episode: Episode) -> list[str]:
    return [sentence.text for sentence in thing_sentences(episode)]


def test_what_was_handled_is_one_sentence() -> None:
    told = episode(
        observed("grasped", 1.0, object="box", hand="gripper"),
        observed("put_down", 2.5, object="box", support="tray"),
    )
    assert texts(told) == ["box was grasped by gripper at 1.00 s and put down on tray at 2.50 s."]


def test_what_models_observe_is_told_of_the_entity_that_an_argument_names() -> None:
    told = episode(
        *[observed("spilled", 3.0 + i / 10, cup="jug", count=1) for i in range(5)],
        observed("empty", 3.4, cup="jug"),
    )
    assert texts(told) == ["jug: spilled 5 times from 3.00 s to 3.40 s and is empty at 3.40 s."]


def test_a_hands_signals_are_left_out_where_the_handling_says_the_same() -> None:
    signal = observed("grip_closed", 1.0, object="box", hand="gripper")
    assert texts(episode(signal)) == ["box: gripped by gripper at 1.00 s."]
    handled = observed("grasped", 1.1, object="box", hand="gripper")
    assert texts(episode(signal, handled)) == ["box was grasped by gripper at 1.10 s."]


def test_what_the_main_model_and_the_robots_watcher_report_is_no_story_of_things() -> None:
    told = episode(
        observed("overlap", 1.0, "physics", object="box", other="jug"),
        observed("flung", 1.0, "robot_health", object="box", severity="absurd"),
    )
    assert texts(told) == []


def test_what_moved_without_an_event_is_told_with_its_times() -> None:
    x = np.clip(seconds() - 4.0, 0.0, 2.0) * 0.25
    places = np.stack([x, 0 * x, 0 * x], axis=1)
    (text,) = texts(episode(box=places))
    assert text == "box moved by 50 cm between 4.02 s and 5.96 s."
    assert resting_objects(episode(box=places)) == ["jug"]


def test_what_came_back_says_so() -> None:
    x = 0.2 * np.sin(np.pi * np.clip(seconds() - 4.0, 0.0, 1.0))
    (text,) = texts(episode(box=np.stack([x, 0 * x, 0 * x], axis=1)))
    assert text.startswith("box moved and came back between 4.02 s and ")
