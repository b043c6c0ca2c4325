"""A recording that is read as arrays and written again is the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.recorded_bags import MS, Recorded, annotation, joints, write_bag

from hetwin_bauer2022.mismatch.recording_file import read_recording, write_recording
from hetwin_core.ensemble.errors import BadInput


def messages(folder: Path) -> list[tuple[str, int, bytes]]:
    with AnyReader([folder]) as reader:
        return [(c.topic, received, bytes(raw)) for c, received, raw in reader.messages()]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    told: list[Recorded] = [annotation(5 * MS, "grasp", "begin", {"hand": "right_hand"})]
    for i in range(4):
        told.append(joints(10 * i * MS, ["a", "b"], [i, -i], efforts=[0.5, 0.25], frame="base"))
        told.append(joints(10 * i * MS, ["c"], [i / 3], velocities=[0.1]))
    return write_bag(tmp_path / "recorded", told)


def test_it_is_the_same_again(recorded: Path, tmp_path: Path) -> None:
    write_recording(tmp_path / "again", read_recording(recorded))
    assert messages(tmp_path / "again") == messages(recorded)


def test_joint_states_are_arrays_by_publisher_and_joints(recorded: Path) -> None:
    found = read_recording(recorded)
    first, second = found.joint_states
    assert (first.names, first.frame) == (("a", "b"), "base")
    assert first.positions.tolist() == [[0, 0], [1, -1], [2, -2], [3, -3]]
    assert (first.efforts.shape, first.velocities.shape) == ((4, 2), (4, 0))
    assert (second.efforts.shape, second.velocities.shape) == ((4, 0), (4, 1))
    assert np.diff(first.stamps).tolist() == [10 * MS] * 3
    (other,) = found.others
    assert other.topic == "/actions"


def test_what_is_no_recording_is_named(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "metadata.yaml").write_text(json.dumps({}))
    with pytest.raises(BadInput, match="recording cannot be read"):
        read_recording(tmp_path / "none")
