"""`hetwin evaluate` on recorded episodes, from the command line to table, file and page."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer
from support.recorded_episodes import two_drops, verdict_on_a_success
from typer.testing import CliRunner

from hetwin_bauer2022.evaluation.approaches import Contacts
from hetwin_bauer2022.evaluation.episode_with_mismatches import write_with_mismatches
from hetwin_bauer2022.evaluation.episodes import (
    LabelledEpisode,
    find_episodes,
    read_episode,
)
from hetwin_bauer2022.evaluation.judge import Verdict, judge
from hetwin_bauer2022.evaluation.judging_with_mismatches import judge_with_mismatches
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.mismatch import read_recording
from hetwin_bauer2022.mismatch.registry import read_mismatches
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_suite.cli.main import app

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def episodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two drops, one with each end."""
    folder = two_drops(tmp_path_factory)
    assert {e.success for e in find_episodes(folder)} == {True, False}
    return folder


def evaluate(episodes: Path, out: Path, *more: str) -> Any:
    arguments = ["evaluate", "table2", "--episodes", str(episodes), "--out", str(out), "--json"]
    result = CliRunner().invoke(app, [*arguments, "--jobs", "1", *more])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@dataclass(frozen=True)
class Evaluated:
    """What the command printed, and the rows and the page that it wrote."""

    told: Any
    rows: list[dict[str, str]]
    page: str


@pytest.fixture(scope="module")
def evaluated(episodes: Path, tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    out = tmp_path_factory.mktemp("evaluated") / "out"
    told = evaluate(episodes, out, "--approaches", "ensemble,rule")
    with (out / "table2.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return Evaluated(told, rows, (out / "table2.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def success(episodes: Path) -> LabelledEpisode:
    return next(e for e in find_episodes(episodes) if e.success)


@pytest.fixture(scope="module")
def by_single(success: LabelledEpisode) -> Verdict:
    """What the baseline says about the success."""
    return judge(success, "single")


def test_table_file_and_page(evaluated: Evaluated) -> None:
    told, rows = evaluated.told, evaluated.rows
    cells = {(c["scenario"], c["truth"], c["approach"]): c for c in told["cells"]}
    assert set(cells) == {
        ("uncertain_environment", truth, approach)
        for truth in ("success", "failure")
        for approach in ("ensemble", "rule")
    }
    for truth in ("success", "failure"):
        cell = cells["uncertain_environment", truth, "ensemble"]
        assert (cell["right"], cell["of"]) == (1, 1)
    assert all(row["unequal"] == 0 and row["of"] > 0 for row in told["hand_backs"])
    assert len(rows) == 4
    assert all(row["right"] == "True" for row in rows if row["approach"] == "ensemble")
    assert "Wrong verdicts" in evaluated.page
    assert "http://" not in evaluated.page.partition("<script")[0]


def test_a_verdict_is_the_same_each_time(
    evaluated: Evaluated, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (first,) = (
        row for row in evaluated.rows if row["truth"] == "True" and row["approach"] == "ensemble"
    )
    second = verdict_on_a_success(tmp_path_factory, "ensemble")
    assert first["why"] == second.why
    assert (first["success"], first["gain"]) == (repr(second.success), repr(second.gain))


def test_no_verdict_depends_on_how_busy_the_machine_is(
    episodes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def impatient(path: Path) -> Scenario:
        loaded = load_scenario(path)
        models = [replace(plan, deadline=1e-9, patience=1e-9) for plan in loaded.models]
        return replace(loaded, models=tuple(models))

    monkeypatch.setattr("hetwin_bauer2022.evaluation.judge.load_scenario", impatient)
    episode = find_episodes(episodes)[0]
    assert judge(episode, "rigid").success is not None


@pytest.mark.long
def test_plain_contacts_make_another_run(success: LabelledEpisode, by_single: Verdict) -> None:
    assert by_single.why != judge(success, "single", contacts=Contacts.PLAIN).why
    assert "ball grasped by right_hand" in by_single.why
    assert "coverage" not in by_single.why


@pytest.mark.long
def test_a_wrong_verdict_gets_its_picture(episodes: Path, tmp_path: Path) -> None:
    """A success whose truth is turned round is a wrong verdict."""
    turned = tmp_path / "episodes" / "turned"
    shutil.copytree(next(e.folder for e in find_episodes(episodes) if e.success), turned)
    truth = json.loads((turned / "truth.json").read_text())
    truth.update(label="failure", cause="missed")
    (turned / "truth.json").write_text(json.dumps(truth))
    told = evaluate(tmp_path / "episodes", tmp_path / "out", "--approaches", "ensemble")
    assert {c["truth"]: (c["right"], c["of"]) for c in told["cells"]}["failure"] == (0, 1)
    page = (tmp_path / "out" / "table2.html").read_text(encoding="utf-8")
    assert "said success, was failure (missed)" in page
    assert "data:image/png;base64," in page
    assert re.search(
        r"The pose of ball was handed over last at \d+\.\d\d s, from in_hand to physics", page
    )
    assert re.search(
        r"At the end the twin had it at \(.*\) m, the truth at \(.*\) m: .* apart", page
    )
    assert "prefers-color-scheme: dark" in page
    assert (tmp_path / "out" / "wrong" / "turned_ensemble" / "summary.json").is_file()


def test_an_episode_that_cannot_be_played_is_a_wrong_verdict(
    episodes: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "episodes" / "broken"
    shutil.copytree(find_episodes(episodes)[0].folder, broken)
    (broken / "recording" / "metadata.yaml").write_text("nonsense")
    found = judge(find_episodes(tmp_path / "episodes")[0], "ensemble")
    assert found.success is None
    assert not found.right
    assert np.isnan(found.real_time_factor)
    assert "metadata.yaml" in found.why
    evaluate(tmp_path / "episodes", tmp_path / "out", "--approaches", "ensemble")
    page = (tmp_path / "out" / "table2.html").read_text(encoding="utf-8")
    assert "said nothing: the run failed" in page


def worse_by_hand(episode: Path, folder: Path) -> Path:
    """What a user's own script makes of an episode: fingers that read too open by 0.0175 rad, and 15 Hz."""
    shutil.copytree(episode, folder, ignore=shutil.ignore_patterns("recording"))
    with AnyReader([episode / "recording"]) as reader:
        recorded = [(c.topic, c.msgtype, at, bytes(raw)) for c, at, raw in reader.messages()]
        types = reader.typestore
    stamps: dict[str, list[int]] = {}
    for topic, kind, _, raw in recorded:
        if topic == "/joint_states":
            message: Any = types.deserialize_cdr(raw, kind)
            stamps.setdefault(message.name[0], []).append(stamp_of(message))
    kept = {first: due(of_one) for first, of_one in stamps.items()}
    with Writer(folder / "recording", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connections: dict[str, Any] = {}
        for topic, kind, at, raw in recorded:
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=types)
            if topic == "/joint_states":
                message = types.deserialize_cdr(raw, kind)
                if stamp_of(message) not in kept[message.name[0]]:
                    continue
                if message.name[0].startswith("right_hand_finger"):
                    message.position = message.position - 0.0175
                raw = bytes(types.serialize_cdr(message, kind))
            writer.write(connections[topic], at, raw)
    return folder


def stamp_of(message: Any) -> int:
    return int(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)


def due(stamps: list[int]) -> set[int]:
    """The last stamps at or before each fifteenth of a second after the first one."""
    found, time = set(), 0
    while stamps[0] + round(time * 1e9 / 15) <= stamps[-1]:
        found.add(max(s for s in stamps if s <= stamps[0] + round(time * 1e9 / 15)))
        time += 1
    return found


@pytest.mark.long
def test_a_script_of_ones_own_gets_the_verdicts_of_mismatch(
    success: LabelledEpisode, by_single: Verdict, tmp_path: Path
) -> None:
    episode, plain = success, by_single
    by_hand = read_episode(worse_by_hand(episode.folder, tmp_path / "worse" / episode.name))
    mismatches = read_mismatches(["rate=15", "finger_offset=0.0175"])
    ours = judge_with_mismatches(episode, "single", Replay(mismatches=mismatches))
    theirs = judge(by_hand, "single")
    assert (ours.why, ours.success, repr(ours.gain)) == (
        theirs.why,
        theirs.success,
        repr(theirs.gain),
    )
    assert ours.why != plain.why
    assert ours.episode == plain.episode


def test_mismatch_is_told_with_the_table(episodes: Path, tmp_path: Path) -> None:
    given = ("--mismatch", "efforts_missing=1", "--mismatch", "finger_offset=-0.01")
    told = evaluate(episodes, tmp_path / "out", "--approaches", "rule", *given)
    assert told["mismatch"] == {"efforts_missing": 1.0, "finger_offset": -0.01}
    page = (tmp_path / "out" / "table2.html").read_text(encoding="utf-8")
    assert "The twin was given mismatch: efforts_missing=1, finger_offset=-0.01." in page


def test_the_twin_takes_world_and_robot_from_beside_the_recording(
    success: LabelledEpisode, tmp_path: Path
) -> None:
    worse = write_with_mismatches(success, read_mismatches(["object_size=0.5"]), tmp_path / "small")
    assert (worse.world, worse.robot) == (worse.folder / "world.sdf", worse.folder / "robot.urdf")
    found = judge(worse, "single")
    assert found.success is False
    assert "grasped" not in found.why


@pytest.mark.parametrize(
    "arguments",
    [
        ["table3", "--episodes", "x"],
        ["table2"],
        ["table2", "--episodes", "x", "--contacts", "sticky"],
        ["table2", "--episodes", "x", "--jobs", "0"],
    ],
)
def test_command_line_that_makes_no_sense_ends_with_2(arguments: list[str]) -> None:
    assert CliRunner().invoke(app, ["evaluate", *arguments]).exit_code == 2


def test_an_approach_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    arguments = ["table2", "--episodes", str(tmp_path), "--approaches", "guess"]
    result = CliRunner().invoke(app, ["evaluate", *arguments])
    assert isinstance(result.exception, BadInput)
    assert "guess" in str(result.exception)


def test_a_recording_without_signals_has_joints_and_annotations_alone(
    episodes: Path, tmp_path: Path
) -> None:
    episode = find_episodes(episodes)[0]
    worse = write_with_mismatches(episode, read_mismatches(["signals=0"]), tmp_path / "few")
    before, after = read_recording(episode.recording), read_recording(worse.recording)
    assert sorted(after.connections) == ["/action_annotations", "/joint_states"]
    assert {"/wrist/wrench", "/right_hand/status"} < set(before.connections)
    assert not any(one.efforts.size for one in after.joint_states)
