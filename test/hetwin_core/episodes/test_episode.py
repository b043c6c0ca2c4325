"""An episode gives back what was logged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from support.small_run import GRASP, RELEASE, STEP_NS, STEPS, SmallRun, records

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.derived import Annotation, Span
from hetwin_core.episodes.episode import Episode, Note
from hetwin_core.episodes.log_writer import RunLog

END = STEPS * STEP_NS


@pytest.fixture(scope="module")
def episode(small_run: SmallRun) -> Episode:
    return Episode.open(small_run.out)


def test_what_is_known_of_the_run(episode: Episode) -> None:
    assert episode.scenario == "small <run> & co"
    assert episode.models == records()
    assert episode.summary["real_time_factor"] == 12.0
    assert episode.description == {
        "scenario_file": "small.yaml",
        "source": "made up",
        "seed": "7",
        "rate": "400.0",
        "given": '{"seed":7,"engine":"none"}',
    }
    assert episode.given == {"seed": 7, "engine": "none"}
    assert (episode.start_ns, episode.end_ns) == (0, END)


def test_states(small_run: SmallRun, episode: Episode) -> None:
    assert (np.diff(episode.times) > 0).all()
    assert episode.values.shape == (len(episode.times), small_run.layout.size)
    for i, time_ns in enumerate(episode.times.tolist()):
        assert episode.values[i].tobytes() == small_run.written[time_ns].tobytes()
    middle = episode.index_at(GRASP * STEP_NS)
    assert episode.pose("box")[middle, 0] == 0.1 * np.sin(GRASP / 300.0)
    assert episode.attribute("box", "held_by")[middle] == 3.0
    with pytest.raises(KeyError):
        episode.attribute("box", "temperature")


def test_a_time_finds_the_last_state_before_it(episode: Episode) -> None:
    assert episode.index_at(-5) == 0
    assert episode.index_at(int(episode.times[7])) == 7
    assert episode.index_at(int(episode.times[8]) - 1) == 7
    assert episode.index_at(10 * END) == len(episode.times) - 1


def test_the_layout_comes_back_with_its_shapes(small_run: SmallRun, episode: Episode) -> None:
    assert episode.layout.slots == small_run.layout.slots
    for ours, theirs in zip(small_run.layout.entities, episode.layout.entities, strict=True):
        assert (ours.name, ours.kind, ours.tags, ours.owner) == (
            theirs.name,
            theirs.kind,
            theirs.tags,
            theirs.owner,
        )
        assert (ours.parent, ours.joint, ours.joints, ours.mass) == (
            theirs.parent,
            theirs.joint,
            theirs.joints,
            theirs.mass,
        )
        for a, b in zip(ours.shapes, theirs.shapes, strict=True):
            assert (a.kind, a.size, a.pose, a.rgba, a.collides) == (
                b.kind,
                b.size,
                b.pose,
                b.rgba,
                b.collides,
            )
            if a.vertices is not None and a.faces is not None:
                assert b.vertices is not None
                assert b.faces is not None
                np.testing.assert_allclose(a.vertices, b.vertices, atol=1e-7)
                assert (a.faces == b.faces).all()


def test_events_and_handovers_come_back(small_run: SmallRun, episode: Episode) -> None:
    assert episode.events == tuple(small_run.events)
    for ours, theirs in zip(small_run.handovers, episode.handovers, strict=True):
        assert ours.value.data.tobytes() == theirs.value.data.tobytes()
        assert (ours.time_ns, ours.from_model, ours.to_model, ours.cause) == (
            theirs.time_ns,
            theirs.from_model,
            theirs.to_model,
            theirs.cause,
        )


def test_responsibilities_annotations_and_notes(episode: Episode) -> None:
    grasp, release = GRASP * STEP_NS, RELEASE * STEP_NS
    assert episode.responsibilities["box", "pose"] == (
        Span(0, grasp, "physics"),
        Span(grasp, release, "in_hand"),
        Span(release, END, "physics"),
    )
    assert episode.responsibilities["box", "held"] == (Span(0, END, "handling"),)
    who = {"object": "box", "hand": "gripper"}
    assert episode.annotations == (Annotation("move_hand", 950_000_000, 1_200_000_000, who),)
    assert episode.notes == (
        Note(0, "warning", "physics", "physics: mesh <a.stl> is absent"),
        Note(END, "warning", "in_hand", "7 steps were late"),
    )


def test_a_run_without_a_summary_can_be_opened(make_run: Any) -> None:
    run = make_run(steps=20)
    run.record()
    (run.out / "summary.json").unlink()
    assert Episode.open(run.out).summary == {}


def test_a_log_that_lost_what_is_not_content_is_read(make_run: Any) -> None:
    run = make_run(steps=20)
    run.record()
    whole = Episode.open(run.out)
    (run.out / "log" / "metadata.yaml").unlink()
    path = run.out / "log" / "log.mcap"
    path.write_bytes(path.read_bytes()[:-200])  # of the index
    found = Episode.open(run.out)
    assert found.description == whole.description
    assert found.values.tobytes() == whole.values.tobytes()


def test_a_log_that_goes_on_is_refused(make_run: Any) -> None:
    run = make_run(steps=20)
    with RunLog(run.out) as log:
        log.started(run.start())
        with pytest.raises(BadInput, match="the run is still in progress, or was killed"):
            Episode.open(run.out)


def test_near_rows_are_those_of_their_state(small_run: SmallRun, episode: Episode) -> None:
    counts = [len(episode.near(row)) for row in range(len(episode.times))]
    assert sum(counts) > 0
    for row in (0, len(counts) // 2, len(counts) - 1):
        time_ns = int(episode.times[row])
        found = small_run.snapshot(time_ns // STEP_NS).proximity
        np.testing.assert_array_equal(episode.near(row), found)


def _half(run: Path) -> None:
    path = run / "log" / "log.mcap"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _scribbled(run: Path) -> None:
    path = run / "log" / "log.mcap"
    data = bytearray(path.read_bytes())
    data[2000:3000] = bytes(1000)
    path.write_bytes(data)


def _torn_summary(run: Path) -> None:
    (run / "summary.json").write_text('{"scenario": ')


def _listed_summary(run: Path) -> None:
    (run / "summary.json").write_text("[]")


@pytest.mark.parametrize("damage", [_half, _scribbled, _torn_summary, _listed_summary])
def test_a_damaged_run_is_bad_input(make_run: Any, damage: Any) -> None:
    run = make_run(steps=20)
    damage(run.record())
    with pytest.raises(BadInput, match=r"is truncated|cannot be read|not a JSON object"):
        Episode.open(run.out)


def test_a_folder_without_a_run_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no run in this folder"):
        Episode.open(tmp_path)


def test_someone_elses_bag_is_bad_input(tmp_path: Path) -> None:
    store = get_typestore(Stores.ROS2_JAZZY)
    with Writer(tmp_path / "log", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/chatter", "std_msgs/msg/String", typestore=store)
        text = store.types["std_msgs/msg/String"](data="hello")
        writer.write(connection, 0, store.serialize_cdr(text, "std_msgs/msg/String"))
    with pytest.raises(BadInput, match="holds no scene"):
        Episode.open(tmp_path)
