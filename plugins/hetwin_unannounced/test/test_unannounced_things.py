"""A detected thing that the scenario does not have is an object of the scene while it is detected."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused
from unannounced_things import Detection, drawn, judged, scenario

import hetwin_suite
from hetwin_suite.episode import open_episode
from hetwin_testing.suite import check_model

MUG = Detection("mug", (0.3, 0.4, 0.8))
CHANGES = ("appeared", "vanished", "not_represented", "unusable")


def run(folder: Path, messages: Any, duration: float = 4.0, **options: Any) -> hetwin_suite.Summary:
    file = scenario(folder, messages)
    return hetwin_suite.run(file, out=folder / "run", duration=duration, **options)


def told(summary: hetwin_suite.Summary) -> list[tuple[str, Any]]:
    """Return name and object, or kind, of the events about things."""
    return [
        (event["name"], event["arguments"].get("object", event["arguments"].get("kind")))
        for event in summary.events
        if event["name"] in CHANGES
    ]


def every(
    seconds: float, begin: float, end: float, *found: Detection
) -> dict[float, list[Detection]]:
    """The same detections again and again."""
    count = round((end - begin) / seconds)
    return {round(begin + i * seconds, 3): list(found) for i in range(count)}


def test_it_appears_where_it_is_seen_follows_it_and_vanishes(tmp_path: Path) -> None:
    moved = MUG._replace(at=(0.38, 0.4, 0.8))
    messages = every(0.1, 0.5, 1.5, MUG) | every(0.1, 1.5, 2.5, moved) | every(0.1, 2.5, 3.5)
    summary = run(tmp_path, messages)
    assert told(summary) == [("appeared", "thing_0"), ("vanished", "thing_0")]
    (appeared, vanished) = (e for e in summary.events if e["name"] in CHANGES)
    assert appeared["time"] == pytest.approx(0.7, abs=0.06)  # the third time that it is seen
    assert appeared["arguments"]["source"] == "/detections"
    assert appeared["arguments"]["size"] == [0.05, 0.05, 0.05]
    assert vanished["time"] == pytest.approx(2.9, abs=0.06)
    assert "not seen 5 times in a row" in vanished["arguments"]["reason"]
    episode = open_episode(summary.folder)
    poses = episode.pose("thing_0")
    at = {
        time: poses[round(time / 4.0 * (len(poses) - 1)), :3].tolist() for time in (1.4, 2.4, 3.9)
    }
    assert at[1.4] == pytest.approx(MUG.at, abs=1e-6)
    assert at[2.4] == pytest.approx(moved.at, abs=2e-3)
    assert at[3.9][0] == pytest.approx(1000.0)


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(Detection("cup", (0.45, 0.2, 0.8), 0.08), id="where the box stands"),
        pytest.param(Detection("box", (0.1, 0.5, 0.8)), id="by the name of the box"),
        pytest.param(MUG._replace(score=0.3), id="with a low score"),
    ],
)
def test_what_the_scene_has_anyway_and_what_is_not_sure_is_no_thing(
    tmp_path: Path, seen: Detection
) -> None:
    assert told(run(tmp_path, every(0.1, 0.5, 1.5, seen), 2.0)) == []


def test_what_is_seen_twice_only_is_no_thing(tmp_path: Path) -> None:
    messages = every(0.1, 0.5, 1.5) | {0.6: [MUG], 0.7: [MUG], 1.0: [MUG], 1.2: [MUG]}
    assert told(run(tmp_path, messages, 2.0)) == []


def test_two_of_one_class_are_two_and_more_than_there_are_objects_are_named(tmp_path: Path) -> None:
    many = [MUG._replace(at=(0.3 * i - 0.6, 0.6, 0.8)) for i in range(6)]
    summary = run(tmp_path, every(0.1, 0.5, 1.5, *many), 2.0)
    appeared = {name for what, name in told(summary) if what == "appeared"}
    assert appeared == {f"thing_{i}" for i in range(5)}
    assert ("not_represented", "mug") in told(summary)


def test_the_object_whose_size_fits_best_stands_for_it(tmp_path: Path) -> None:
    large = MUG._replace(size=0.18)
    assert told(run(tmp_path, every(0.1, 0.5, 1.0, large), 1.2)) == [("appeared", "thing_4")]


def test_an_unknown_thing_is_grasped_carried_and_put_down(tmp_path: Path) -> None:
    unknown = Detection("mug", (0.45, 0.2, 0.8), 0.06)
    file = scenario(tmp_path, every(0.1, 0.1, 2.0, unknown))
    away = "scene:\n  box: {pose: [1000, 10, 50, 1, 0, 0, 0]}\n"
    file.write_text(file.read_text().replace("scene:\n", away))
    summary = hetwin_suite.run(file, out=tmp_path / "run")
    of_thing = {
        event["name"]: event["arguments"]
        for event in summary.events
        if event["arguments"].get("object") == "thing_0"
    }
    assert {"appeared", "grasped", "released", "put_down"} <= set(of_thing)
    assert of_thing["put_down"]["support"] == "tray"


def test_a_run_that_goes_on_from_a_checkpoint_ends_as_it_would_have(tmp_path: Path) -> None:
    file = scenario(tmp_path, every(0.1, 0.5, 3.0, MUG))
    words = ("--no-page", "--json", "--out")
    limits = ("--duration", "2", "--checkpoint", "1")
    whole = hetwin("run", file, *limits, *words, tmp_path / "whole")
    assert whole.code == 0, whole.err
    outcome = json.loads(whole.out)
    rest = hetwin("run", "--from", outcome["checkpoint"], *words, tmp_path / "rest")
    assert rest.code == 0, rest.err
    assert json.loads(rest.out)["digest"] == outcome["digest"]


def test_it_keeps_the_contract() -> None:
    results = check_model("unannounced", {"topic": "/detections", "things": ["box"]})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []


@pytest.mark.slow
def test_both_transports_have_one_digest(tmp_path: Path) -> None:
    file = scenario(tmp_path, every(0.1, 0.3, 1.0, MUG) | every(0.1, 1.0, 2.0))
    digests = {
        hetwin_suite.run(file, out=tmp_path / "local", duration=2.0).digest,
        hetwin_suite.run(
            file,
            out=tmp_path / "ros",
            duration=2.0,
            transport="ros",
            in_process="physics,grasp,holding,handling",
        ).digest,
    }
    assert len(digests) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_things_that_come_and_go_leave_no_phantoms(tmp_path: Path, seed: int) -> None:
    things, messages = drawn(seed)
    summary = run(tmp_path, messages, 6.0)
    found = judged(summary, things)
    assert (found.phantoms, found.doubles) == (0, 0)


def test_without_objects_in_reserve_the_scenario_is_refused(tmp_path: Path) -> None:
    file = scenario(tmp_path, {0.5: [MUG]})
    file.write_text(file.read_text().replace('["thing_*"]', "[]"))
    words = ("no object is in reserve", "models.things.parameters.things", "such as thing_*")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=words)
