"""The tables of a run, read from its log."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_run import GRASP, RELEASE, STEP_NS, SmallRun

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Interval


def test_truths_hold_as_long_as_the_states_say(small_run: SmallRun) -> None:
    tables = open_tables(small_run.out)
    (held,) = tables.occasions.find("held", "box")
    assert held.ended
    assert held.span.from_ns == pytest.approx(GRASP * STEP_NS, abs=10_000_000)
    assert held.span.to_ns == pytest.approx(RELEASE * STEP_NS, abs=10_000_000)
    (holder,) = tables.occasions.find("held_by", "box")
    assert holder.b == "gripper"
    assert holder.span == held.span


def test_events_are_those_of_the_log(small_run: SmallRun) -> None:
    tables = open_tables(small_run.out)
    told = [(e.name, e.time_ns) for e in tables.events if e.source != "states"]
    assert told == sorted(((e.name, e.time_ns) for e in small_run.events), key=lambda row: row[1])


def test_poses_are_those_of_the_states(small_run: SmallRun) -> None:
    tables, episode = open_tables(small_run.out), Episode.open(small_run.out)
    for row in (0, 1, len(episode.times) // 2, len(episode.times) - 1):
        time_ns = int(episode.times[row])
        assert tables.poses.row(time_ns) == row
        found, pose = tables.poses.at("box", time_ns + 1)
        assert found == time_ns
        np.testing.assert_array_equal(pose, episode.pose("box")[row])
        scene = tables.poses.snapshot(time_ns)
        np.testing.assert_array_equal(scene.values, episode.values[row])
        np.testing.assert_array_equal(scene.owners, episode.owners[row])
    span = Interval(int(episode.times[10]) + 1, int(episode.times[20]) + 1)
    times, poses = tables.poses.during("gripper", span)
    np.testing.assert_array_equal(times, episode.times[10:21])
    np.testing.assert_array_equal(poses, episode.pose("gripper")[10:21])


def test_annotations_are_tasks(small_run: SmallRun) -> None:
    (task,) = open_tables(small_run.out).tasks
    assert (task.id, task.operation, task.status) == ("move_hand.1", "move_hand", "done")
    assert task.variables == {"object": "box", "hand": "gripper"}
    assert task.goal == ""


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no run in this folder"):
        open_tables(tmp_path)
    with pytest.raises(BadInput, match="there is no such folder"):
        open_tables(tmp_path / "nothing")
