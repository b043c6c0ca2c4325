"""The sentence about each robot."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.made_episode import made_episode, observed, poses, seconds, turning

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats
from hetwin_core.episodes.derived import Approach
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.report.story.robots import joint_motions, moving_times, robot_sentences

JOINTS = ("shoulder", "lift", "wrist")
ENTITIES = [
    Entity("arm", EntityKind.ROBOT, joints=JOINTS),
    Entity("base", EntityKind.LINK, owner="arm"),
    Entity("upper", EntityKind.LINK, owner="arm", parent="base", joint="shoulder"),
    Entity("fore", EntityKind.LINK, owner="arm", parent="upper", joint="lift"),
    Entity("tip", EntityKind.LINK, owner="arm", parent="fore", joint="wrist"),
    Entity("box", EntityKind.OBJECT),
]
NOTHING = np.zeros(len(seconds()))
RAMP = np.clip(seconds() - 2.0, 0.0, 4.0) / 4.0


def episode(shoulder: Floats = NOTHING, lift: Floats = NOTHING, **more: Any) -> Episode:
    """An arm whose shoulder turns around z and whose lift slides along it."""
    places = np.stack([0.5 * np.cos(shoulder), 0.5 * np.sin(shoulder), lift], axis=1)
    values = {
        ("base", POSE): poses((0.0, 0.0, 0.0)),
        ("upper", POSE): turning(shoulder),
        ("fore", POSE): turning(shoulder) + poses(places) * ([1] * 3 + [0] * 10),
        ("tip", POSE): turning(shoulder) + poses(places) * ([1] * 3 + [0] * 10),
        ("box", POSE): poses((1.0, 0.0, 0.0)),
        ("arm", AttributeSpec("joint_positions", 3, "rad or m")): np.stack(
            [shoulder, lift, NOTHING], axis=1
        ),
    }
    return made_episode(ENTITIES, values, **more)


def text(episode: Episode) -> str:
    (sentence,) = robot_sentences(episode)
    return sentence.text


def test_a_robot_that_handles_nothing_has_a_story() -> None:
    told = text(episode(1.5 * RAMP, 0.2 * RAMP))
    assert told.startswith("arm moved for 4.16 s, between 1.92 s and 6.08 s: ")
    assert "fore travelled" in told
    assert "from (0.50, 0.00, 0.00) to (0.04, 0.50, 0.20) m" in told
    assert "shoulder turned by 1.50 rad and lift slid by 20 cm" in told
    assert "1 of 3 joints kept still" in told


def test_a_robot_that_stands_still_is_told_as_such() -> None:
    assert text(episode()) == "arm stood still."


def test_joints_that_turn_and_slide_are_told_apart_by_their_links() -> None:
    found = {motion.name: motion for motion in joint_motions(episode(RAMP, 0.3 * RAMP), "arm")}
    assert [found[name].slides for name in ("shoulder", "lift")] == [False, True]
    assert found["lift"].words == "lift slid by 30 cm"
    assert found["shoulder"].words == "shoulder turned by 1.00 rad"


def test_pauses_do_not_count_as_motion() -> None:
    steps = np.clip(seconds() - 1.0, 0.0, 1.0) + np.clip(seconds() - 7.0, 0.0, 1.0)
    found = moving_times(episode(steps), "arm")
    assert [tuple(round(t / 1e9, 2) for t in span) for span in found] == [
        (0.92, 2.08),
        (6.92, 8.08),
    ]


def test_what_it_touched_or_came_near_is_named() -> None:
    near = {("box", "tip"): Approach(0.031, 3_000_000_000)}
    assert text(episode(RAMP, approaches=near)).endswith(
        "It touched no object; the nearest was box, 3.1 cm from tip at 3.00 s."
    )
    touched = {("box", "tip"): Approach(-1e-4, 3_000_000_000)}
    assert text(episode(RAMP, approaches=touched)).endswith("It touched box.")
    others = {("box", "table"): Approach(-1e-4, 0)}
    assert "touched" not in text(episode(RAMP, approaches=others))


def test_a_touch_between_two_logged_states_is_named() -> None:
    near = {("box", "tip"): Approach(0.0005, 3_000_000_000)}
    touches = [
        observed("touched", 3.0, "robot_health", link="fore", object="tip", depth=0.001),
        observed("touched", 3.1, "robot_health", link="tip", object="box", depth=0.001),
        observed("touched", 3.2, "robot_health", link="tip", object="table", depth=0.001),
        observed("touched", 3.2, "robot_health", link="another", object="jug", depth=0.001),
    ]
    told = text(episode(RAMP, approaches=near, events=touches))
    assert told.endswith(" It touched box and table.")


def test_how_well_it_followed_its_recording_is_said() -> None:
    def told(greatest: float) -> str:
        deviation = np.outer(greatest * RAMP, [0.1, 0.0, -1.0])
        values = {("arm", AttributeSpec("joint_deviation", 3)): deviation}
        moved = {("arm", AttributeSpec("joint_positions", 3)): np.outer(RAMP, [1.0, 0.0, 1.0])}
        return text(made_episode(ENTITIES[:1], {**moved, **values}))

    assert "followed" not in told(1e-7)  # a replay always does, so that it says nothing
    assert told(2.5e-3).endswith("It followed its recording within 2.5 mrad (wrist).")
