"""The log of a run, read back with the library that others read it with."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from support.small_run import GRASP, MODELS, RELEASE, STEP_NS, STEPS, SmallRun

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import proximity_tables
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.messages import nanoseconds


def read(run: Path) -> dict[str, list[tuple[int, Any]]]:
    """All messages by topic, with their log times."""
    found: dict[str, list[tuple[int, Any]]] = {}
    with AnyReader([run / "log"]) as reader:
        for connection, time_ns, raw in reader.messages():
            message = reader.deserialize(raw, connection.msgtype)
            found.setdefault(connection.topic, []).append((time_ns, message))
    return found


@pytest.fixture(scope="module")
def content(small_run: SmallRun) -> dict[str, list[tuple[int, Any]]]:
    return read(small_run.out)


def test_states_are_exact_to_the_bit(
    small_run: SmallRun, content: dict[str, list[tuple[int, Any]]]
) -> None:
    for log_time, state in content["/hetwin/state"]:
        stamp = nanoseconds(state.stamp)
        assert log_time == stamp == state.step * STEP_NS
        scene = small_run.snapshot(int(state.step))
        assert state.values.tobytes() == small_run.written[stamp].tobytes()
        assert state.owners.tolist() == scene.owners.tolist()
        assert state.parents.tolist() == scene.parents.tolist()
        assert state.proximity.tobytes() == scene.proximity.tobytes()


def test_states_come_at_the_rate_and_whenever_something_happens(make_run: Any) -> None:
    run = make_run(steps=1003)
    with RunLog(run.out, state_rate=50.0) as log:
        run.play(log)
        log.ended(run.summary())
    steps = {int(state.step) for _, state in read(run.out)["/hetwin/state"]}
    regular = set(range(0, 1003, 8))
    happened = {GRASP - 20, 400, 480, RELEASE, 880}
    assert steps == regular | happened | {1003}


def test_responsibilities_are_there_at_the_start_and_after_each_change(
    content: dict[str, list[tuple[int, Any]]],
) -> None:
    tables = [
        (nanoseconds(t.stamp), {(r.entity, r.attribute): r.model for r in t.responsibilities})
        for _, t in content["/hetwin/responsibilities"]
    ]
    assert [time_ns for time_ns, _ in tables] == [0, GRASP * STEP_NS, RELEASE * STEP_NS]
    assert [table["box", "pose"] for _, table in tables] == ["physics", "in_hand", "physics"]
    assert all(table["box", "held"] == "handling" for _, table in tables)
    assert len({tuple(table) for _, table in tables}) == 1


def test_events_and_handovers(
    small_run: SmallRun, content: dict[str, list[tuple[int, Any]]]
) -> None:
    logged = content["/hetwin/events"]
    assert len(logged) == len(small_run.events)
    for (log_time, message), event in zip(logged, small_run.events, strict=True):
        assert nanoseconds(message.stamp) == event.time_ns <= log_time
        assert (message.name, message.kind, message.source) == (
            event.name,
            event.kind,
            event.source,
        )
        assert message.sequence == event.sequence
        assert json.loads(message.arguments) == event.arguments
    for (_, message), handover in zip(
        content["/hetwin/handovers"], small_run.handovers, strict=True
    ):
        assert message.value.tobytes() == handover.value.data.tobytes()
        assert (message.from_model, message.to_model) == (handover.from_model, handover.to_model)
        assert (message.cause, message.parent) == ("trigger grasp", "world")


def test_action_annotations(content: dict[str, list[tuple[int, Any]]]) -> None:
    found = [
        (m.operation, m.phase, json.loads(m.arguments)) for _, m in content["/action_annotations"]
    ]
    who = {"object": "box", "hand": "gripper"}
    assert found == [("move_hand", "begin", who), ("move_hand", "end", who)]


def test_joint_states_and_transforms(
    small_run: SmallRun, content: dict[str, list[tuple[int, Any]]]
) -> None:
    assert len(content["/joint_states"]) == len(content["/hetwin/state"])
    for log_time, joints in content["/joint_states"]:
        values = small_run.written[log_time]
        assert joints.name == ["shoulder", "finger"]
        positions = values[small_run.layout.range_of("arm", "joint_positions")]
        efforts = values[small_run.layout.range_of("arm", "joint_efforts")]
        assert joints.position.tolist() == positions.tolist()
        assert joints.effort.tolist() == efforts.tolist()
        assert joints.velocity.size == 0
    assert 90 <= len(content["/tf"]) <= 92
    for log_time, message in content["/tf"]:
        frames = {t.child_frame_id: t for t in message.transforms}
        assert set(frames) == {"base", "upper", "gripper", "box", "ball"}
        pose = small_run.written[log_time][small_run.layout.range_of("box", "pose")]
        box = frames["box"].transform
        assert [box.translation.x, box.translation.y, box.translation.z] == pose[:3].tolist()
        turned = [box.rotation.w, box.rotation.x, box.rotation.y, box.rotation.z]
        assert turned == pose[3:7].tolist()
        assert nanoseconds(frames["box"].header.stamp) == log_time
        assert frames["box"].header.frame_id == "world"


def test_frames_that_do_not_move_are_written_once_a_second(make_run: Any) -> None:
    run = make_run()
    with RunLog(run.out) as log:
        log.started(run.start())
        moved = run.snapshot(1000).values
        for step in range(1, 1201):
            values = moved if step >= 600 else run.snapshot(0).values
            log.stepped(step, replace(run.snapshot(step), values=values.copy()))
        log.ended(run.summary())
    times = [time_ns / 1e9 for time_ns, _ in read(run.out)["/tf"]]
    assert times == pytest.approx([0.0, 1.0, 1.5, 2.0, 3.0], abs=1 / 30)


def test_notes_are_diagnostics(content: dict[str, list[tuple[int, Any]]]) -> None:
    found = [(m.status[0].level, m.status[0].name) for _, m in content["/diagnostics"]]
    assert found == [(1, "physics"), (1, "in_hand")]


def test_the_registry_names_the_models(content: dict[str, list[tuple[int, Any]]]) -> None:
    ((_, registry),) = content["/hetwin/registry"]
    assert tuple(model.name for model in registry.models) == MODELS
    assert registry.models[0].main
    assert content["/robot_description"][0][1].data == "<robot name='arm'/>"


def test_the_types_in_the_bag_are_those_of_ros(small_run: SmallRun) -> None:
    store = get_typestore(Stores.ROS2_KILTED)
    with AnyReader([small_run.out / "log"]) as reader:
        for connection in reader.connections:
            assert connection.digest == reader.typestore.hash_rihs01(connection.msgtype)
            if not connection.msgtype.startswith("hetwin/"):
                assert connection.digest == store.hash_rihs01(connection.msgtype)


def test_log_times_never_go_back(small_run: SmallRun) -> None:
    with AnyReader([small_run.out / "log"]) as reader:
        assert reader.start_time == 0
        assert reader.end_time == STEPS * STEP_NS + 1
        times = [time_ns for _, time_ns, _ in reader.messages()]
    assert times == sorted(times)


def test_the_summary_is_json_that_any_reader_takes(small_run: SmallRun) -> None:
    text = (small_run.out / "summary.json").read_text()
    summary = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert summary["digest"] == "ab" * 32
    assert summary["state"] == {"held(box)": False, "infinite": None}
    assert [event["name"] for event in summary["events"]][:2] == ["move_hand", "grasped"]
    written = {path.name for path in small_run.out.iterdir()}
    assert written - {"tables"} == {"log", "summary.json"}  # who asks the run keeps its tables


def test_an_exception_leaves_a_log_that_can_be_read(make_run: Any) -> None:
    run = make_run(steps=301)

    def broken() -> None:
        with RunLog(run.out) as log:
            run.play(log)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    states = read(run.out)["/hetwin/state"]
    assert states[-1][0] == 301 * STEP_NS
    assert not (run.out / "summary.json").exists()


def test_closing_twice_and_ending_after_closing_is_fine(make_run: Any) -> None:
    run = make_run(steps=10)
    log = RunLog(run.out)
    run.play(log)
    log.close()
    log.close()
    log.ended(run.summary())
    assert len(read(run.out)["/hetwin/state"]) == 4


@pytest.mark.parametrize("left", ["log", "summary.json", "report.html"])
def test_a_folder_with_a_run_is_refused_and_stays_as_it_is(tmp_path: Path, left: str) -> None:
    (tmp_path / left).write_text("precious")
    with pytest.raises(BadInput, match="already holds a run"):
        RunLog(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [left]
    assert (tmp_path / left).read_text() == "precious"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(BadInput, match="not a folder"):
        RunLog(tmp_path / "file" / "run")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(BadInput, match="cannot be written"):
        RunLog(tmp_path / "run")


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf")])
def test_impossible_rates_are_refused(tmp_path: Path, rate: float) -> None:
    with pytest.raises(BadInput, match="state_rate"):
        RunLog(tmp_path / "run", state_rate=rate)


def test_nothing_is_made_before_the_run_starts(tmp_path: Path) -> None:
    RunLog(tmp_path / "a" / "run").close()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_fails_the_run(make_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(steps=10)
    log = RunLog(run.out)
    run.play(log)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rosbags.rosbag2.storage_mcap.McapWriter.close_chunk", full)
    with pytest.raises(RunFailed, match="No space left"):
        log.ended(run.summary())
    assert not (run.out / "summary.json").exists()


def test_a_failed_run_says_so_in_the_log(make_run: Callable[..., SmallRun]) -> None:
    run = make_run(steps=40)
    run.record({"model": "in_hand", "call": "step", "time": 0.1, "reason": "NaN in pose"})
    level, text = [
        (m.status[0].level, m.status[0].message) for _, m in read(run.out)["/diagnostics"]
    ][-1]
    assert (level, text) == (2, "step failed at 0.100000 s: NaN in pose")


def test_a_scene_without_robot_objects_or_slots_can_be_logged(make_run: Any) -> None:
    run = make_run()
    empty = Layout.build([], [])
    none = np.empty(0, np.int32)
    scene = replace(run.snapshot(0), layout=empty, values=np.empty(0), owners=none, parents=none)
    with RunLog(run.out) as log:
        log.started(replace(run.start(), layout=empty, snapshot=scene, robot_descriptions={}))
        log.stepped(1, replace(scene, time_ns=STEP_NS, tables=proximity_tables(np.empty((0, 12)))))
        log.ended(run.summary())
    found = read(run.out)
    assert len(found["/hetwin/state"]) == 2
    assert set(found) == {
        "/hetwin/registry",
        "/hetwin/responsibilities",
        "/hetwin/state",
    }


def test_steps_that_write_nothing_cost_next_to_nothing(make_run: Any) -> None:
    run = make_run()
    scenes = [run.snapshot(step) for step in range(1, 2001)]
    with RunLog(run.out, state_rate=1e-3, transform_rate=1e-3) as log:
        log.started(run.start())
        costs = []
        for part in range(10):
            before = time.process_time()
            for step in range(200 * part, 200 * part + 200):
                log.stepped(step + 1, scenes[step])
            costs.append((time.process_time() - before) / 200)
        log.ended(run.summary())
    assert min(costs) < 30e-6
