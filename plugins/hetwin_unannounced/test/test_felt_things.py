"""An unseen object that a hand closes on becomes a thing, which is carried, put down, or removed when refuted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hetwin_command import refused
from unannounced_things import Detection, write

import hetwin_suite
from hetwin_core.ensemble.concern_words import grip_sentences
from hetwin_suite.command import resource
from hetwin_suite.episode import open_episode
from hetwin_suite.model import Event
from hetwin_unannounced.grasping import GraspConclusion, draw_conclusion

SCENARIO = """\
extends: pick_and_place
scenario: felt
source: {{recording: {recording}, topics: [/detections]}}
scene:
  box: {{pose: [1000, 10, 50, 1, 0, 0, 0]}}
  thing_0: {{model: worlds/thing_{size}.sdf, pose: [1000, 0, 50, 1, 0, 0, 0]}}
entities:
  thing_0: {{tags: [graspable]}}
models:
  things:
    type: unannounced
    rate: 100
    parameters: {{hands: [gripper], topic: {topic}, things: ["thing_*"]}}
"""
GRIPPED_S = 4.1
"""Time when the fingers rest on the box that is not in the scene [s]."""


def scenario(folder: Path, *, size: str = "small", messages: Any = None) -> Path:
    """Write the shipped pick and place without its box, which is far away, and with one object in reserve."""
    recording = write(folder, messages or {0.1: []})
    topic = "/detections" if messages else '""'
    file = folder / "felt.yaml"
    file.write_text(SCENARIO.format(recording=recording, size=size, topic=topic))
    return file


def of_thing(summary: hetwin_suite.Summary) -> dict[str, Any]:
    """Return arguments and time of the last event of each name about the thing."""
    return {
        event["name"]: {**event["arguments"], "time": event["time"]}
        for event in summary.events
        if event["arguments"].get("object") == "thing_0"
    }


def test_it_is_carried_put_down_and_told_of(tmp_path: Path) -> None:
    summary = hetwin_suite.run(scenario(tmp_path), out=tmp_path / "run")
    told = of_thing(summary)
    assert told["appeared"]["kind"] == "something"
    assert told["appeared"]["source"] == "gripper"
    assert told["appeared"]["size"] == pytest.approx([0.05] * 3, abs=0.001)
    assert told["appeared"]["time"] == pytest.approx(GRIPPED_S, abs=0.06)
    assert told["put_down"]["support"] == "tray"
    assert {"grasped", "released"} <= set(told)
    assert "vanished" not in told
    assert "on(thing_0, tray)" in [claim for claim, holds in summary.state.items() if holds]
    episode = open_episode(summary.folder)
    thing, hand = episode.pose("thing_0"), episode.pose("gripper")
    at = round(7.0 / 12.8 * (len(thing) - 1))
    assert np.linalg.norm(thing[at, :3] - hand[at, :3]) < 0.002
    assert episode.attribute("thing_0", "carried")[at] == [1.0]
    width = told["appeared"]["size"][0]
    covariance = episode.attribute("thing_0", "pose_covariance")[at]
    assert covariance[0] == pytest.approx(width**2 / 12.0, rel=1e-3)
    assert episode.attribute("thing_0", "thing_size")[at] == pytest.approx([width] * 3, abs=1e-4)
    (sentence,) = grip_sentences(summary.events)
    assert sentence.endswith("or stopped there as commanded: thing_0")


def test_an_object_that_is_a_little_wider_than_the_opening_passes_through_the_fingers(
    tmp_path: Path,
) -> None:
    file = scenario(tmp_path, size="small")
    wider = (
        resource("worlds", "thing_small.sdf")
        .read_text()
        .replace("0.05 0.05 0.05", "0.058 0.058 0.058")
    )
    (tmp_path / "wider.sdf").write_text(wider)
    file.write_text(file.read_text().replace("worlds/thing_small.sdf", "wider.sdf"))
    summary = hetwin_suite.run(file, out=tmp_path / "run")
    told = of_thing(summary)
    assert {"appeared", "grasped", "put_down"} <= set(told)
    z = open_episode(summary.folder).pose("thing_0")[-1, 2]
    assert z == pytest.approx(0.75 + 0.08 + 0.029, abs=0.003)  # on the tray


def test_an_object_that_no_such_opening_could_hold_stands_for_nothing(tmp_path: Path) -> None:
    summary = hetwin_suite.run(
        scenario(tmp_path, size="medium"), out=tmp_path / "run", duration=5.0
    )
    assert not of_thing(summary)
    (event,) = (one for one in summary.events if one["name"] == "not_represented")
    assert event["arguments"]["kind"] == "something"


def test_a_detector_that_does_not_see_it_where_it_was_put_contradicts_it(tmp_path: Path) -> None:
    nothing = {round(10.0 + 0.1 * i, 1): [] for i in range(20)}
    told = of_thing(
        hetwin_suite.run(scenario(tmp_path, messages={0.1: [], **nothing}), out=tmp_path / "run")
    )
    assert told["put_down"]["time"] < told["vanished"]["time"]
    assert told["vanished"]["kind"] == "something"
    assert told["vanished"]["time"] == pytest.approx(10.4, abs=0.06)
    assert "not seen 5 times" in told["vanished"]["reason"]


def test_a_detector_that_sees_it_in_the_hand_says_what_it_is_and_makes_no_second(
    tmp_path: Path,
) -> None:
    seen = Detection("mug", (0.0, 0.5, 0.9), 0.05)
    (tmp_path / "unseen").mkdir()
    where = hetwin_suite.run(scenario(tmp_path / "unseen"), out=tmp_path / "first")
    poses = open_episode(where.folder).pose("thing_0")

    def at(time: float) -> Detection:
        x, y, z = poses[round(time / 12.8 * (len(poses) - 1)), :3].tolist()
        return seen._replace(at=(x, y, z))

    times = [round(5.0 + 0.1 * i, 1) for i in range(75)]
    file = scenario(tmp_path, messages={time: [at(time)] for time in times})
    summary = hetwin_suite.run(file, out=tmp_path / "run")
    told = of_thing(summary)
    assert {"appeared", "grasped", "put_down"} <= set(told)
    assert "vanished" not in told
    assert not [event for event in summary.events if event["name"] == "not_represented"]


def test_without_a_grasp_monitor_a_hand_is_refused(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    file.write_text(file.read_text().replace("[gripper]", "[table]"))
    words = ("no grasp monitor watches", "models.things.parameters.hands", "grasp_monitor")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=words)


def test_without_a_topic_and_hands_the_scenario_is_refused(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    file.write_text(file.read_text().replace("[gripper]", "[]"))
    words = ("neither a topic nor a hand could detect things", "models.things.parameters.topic")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=words)


@pytest.mark.long
def test_both_transports_have_one_digest(tmp_path: Path) -> None:
    file = scenario(tmp_path)
    digests = {
        hetwin_suite.run(file, out=tmp_path / "local", duration=7.0).digest,
        hetwin_suite.run(
            file,
            out=tmp_path / "ros",
            duration=7.0,
            transport="ros",
            in_process="physics,grasp,holding,handling",
        ).digest,
    }
    assert len(digests) == 1


@pytest.mark.parametrize(
    ("name", "arguments", "held", "means"),
    [
        ("closed_on_something", {"gap": 0.04}, "", GraspConclusion.GRASPED),
        ("closed_on_something", {"gap": 0.04}, "thing_0", None),
        ("let_go_of_something", {"because": "it opened"}, "thing_0", GraspConclusion.RELEASED),
        ("let_go_of_something", {"because": "it closed"}, "thing_0", GraspConclusion.REFUTED),
        ("let_go_of_something", {"because": "it holds an object"}, "thing_0", None),
        ("let_go_of_something", {"because": "it opened"}, "", None),
        ("grip_closed", {"object": "thing_0"}, "thing_0", None),
        ("grip_closed", {"object": "cup"}, "thing_0", GraspConclusion.REFUTED),
        ("grip_lost", {"object": "thing_0", "opened": True}, "thing_0", GraspConclusion.RELEASED),
        ("grip_lost", {"object": "thing_0", "opened": False}, "thing_0", GraspConclusion.REFUTED),
        ("grip_lost", {"object": "cup", "opened": True}, "thing_0", None),
    ],
)
def test_what_fingers_feel(
    name: str, arguments: dict[str, Any], held: str, means: GraspConclusion | None
) -> None:
    event = Event(name, 0, arguments={"hand": "gripper", **arguments})
    found = draw_conclusion(event, ["gripper"], held)
    assert (None if found is None else found[0]) is means
    assert draw_conclusion(event, ["other"], held) is None
