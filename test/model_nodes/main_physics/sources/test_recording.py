"""What `Recording` says of a recording, whatever it is stored in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from backports import zstd
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from support.recorded_bags import (
    MS,
    Recorded,
    annotation,
    joints,
    plain,
    sine,
    storage_file,
    write_bag,
    write_ros1_bag,
)

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.recording import Recording

MESSAGES = [*sine(), annotation(2_000 * MS, "reach", "begin", {"hand": "right"})]


def bare(folder: Path, storage: StoragePlugin, compression: CompressionMode) -> Path:
    written = storage_file(write_bag(folder, MESSAGES, storage=storage, compression=compression))
    return written.rename(folder.parent / written.name)


def without_metadata(folder: Path) -> Path:
    (write_bag(folder, MESSAGES) / "metadata.yaml").unlink()
    return folder


def split(folder: Path) -> Path:
    """Three numbered files of one recording, without metadata.yaml."""
    folder.mkdir()
    for i, part in enumerate((MESSAGES[:30], MESSAGES[30:31], MESSAGES[31:])):
        file = storage_file(write_bag(folder.parent / f"part_{i}", part))
        file.rename(folder / f"run_{i + 9}.mcap")
    return folder


def compressed_twice(folder: Path) -> Path:
    """A file that was compressed after it was closed."""
    file = storage_file(write_bag(folder, MESSAGES))
    packed = folder.parent / f"{file.name}.zst"
    packed.write_bytes(zstd.compress(file.read_bytes()))
    return packed


FORMS: dict[str, Callable[[Path], Path]] = {
    "mcap": lambda folder: write_bag(folder, MESSAGES),
    "sqlite3": lambda folder: write_bag(folder, MESSAGES, storage=StoragePlugin.SQLITE3),
    "bare mcap": lambda folder: bare(folder, StoragePlugin.MCAP, CompressionMode.NONE),
    "bare db3": lambda folder: bare(folder, StoragePlugin.SQLITE3, CompressionMode.NONE),
    "bare db3, messages compressed": lambda folder: bare(
        folder, StoragePlugin.SQLITE3, CompressionMode.MESSAGE
    ),
    "bare db3, compressed": lambda folder: bare(
        folder, StoragePlugin.SQLITE3, CompressionMode.FILE
    ),
    "bare mcap, compressed later": compressed_twice,
    "folder without metadata": without_metadata,
    "split without metadata": split,
    "mcap, in a folder that is named like a bag": lambda folder: write_bag(
        folder.with_suffix(".bag"), MESSAGES
    ),
    "ROS 1": lambda folder: write_ros1_bag(folder.with_suffix(".bag"), MESSAGES),
    "ROS 1 in a folder": lambda folder: write_ros1_bag(_made(folder) / "a.bag", MESSAGES).parent,
    "ROS 1, lz4": lambda folder: write_ros1_bag(
        folder.with_suffix(".bag"), MESSAGES, compression=Writer1.CompressionFormat.LZ4
    ),
    "ROS 1, bz2": lambda folder: write_ros1_bag(
        folder.with_suffix(".bag"), MESSAGES, compression=Writer1.CompressionFormat.BZ2
    ),
}


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_recording_says_and_plays_the_same(tmp_path: Path, form: str) -> None:
    path = FORMS[form](tmp_path / "bag")
    before = sorted(path.parent.rglob("*"))
    recording = Recording.open(path)
    assert recording.duration_s == pytest.approx(2.0)
    assert {t.name: (t.type, t.count) for t in recording.topics.values()} == {
        "/joint_states": ("sensor_msgs/msg/JointState", 100),
        "/actions": ("hetwin/msg/ActionAnnotation", 1),
    }
    states = recording.topics["/joint_states"]
    assert states.rate_hz == pytest.approx(50.0)
    assert states.longest_gap_s == pytest.approx(0.02)
    assert recording.topics["/actions"].rate_hz is None
    (topic,) = recording.joint_topics
    assert topic.problem is None
    assert list(topic.joints) == ["a", "b"]
    positions = np.array([one.message.position for one in sine()])
    assert topic.joints["a"].lower == positions[:, 0].min()
    assert topic.joints["b"].upper == positions[:, 1].max()
    assert topic.joints["a"].speed == pytest.approx(1 / 0.3, rel=0.01)
    plays_as_written(path)
    assert sorted(path.parent.rglob("*")) == before


def plays_as_written(path: Path) -> None:
    source = open_source(path)
    assert source.bind(("a", "b"), 20 * MS).all()
    for one in sine():
        np.testing.assert_array_equal(source.motion(one.time_ns).positions, one.message.position)
    (event,) = source.events(2_000 * MS)
    assert (event.name, event.arguments["hand"]) == ("reach", "right")
    assert event.time_ns == 2_000 * MS
    source.close()


def test_nodes_that_publish_are_known_of_ros1(tmp_path: Path) -> None:
    messages = [
        Recorded(m.topic, m.type, m.time_ns, m.message, "/driver" if i % 2 else "/gripper")
        for i, m in enumerate(sine())
    ]
    recording = Recording.open(write_ros1_bag(tmp_path / "a.bag", messages))
    assert recording.topics["/joint_states"].publishers == ("/driver", "/gripper")
    assert recording.topics["/joint_states"].count == 100


def test_description_and_transforms(tmp_path: Path) -> None:
    text = "<robot name='a'/>"
    described = plain(0, "/robot_description", "std_msgs/msg/String", data=text)
    other = plain(0, "/left/robot_description", "std_msgs/msg/String", data="<robot name='b'/>")
    tf = plain(0, "/tf", "tf2_msgs/msg/TFMessage", transforms=[])
    recording = Recording.open(write_bag(tmp_path / "bag", [other, described, tf, *sine()]))
    assert recording.robot_description == text
    assert recording.has_tf
    recording = Recording.open(write_ros1_bag(tmp_path / "a.bag", [described, *sine()]))
    assert recording.robot_description == text
    assert not recording.has_tf


def test_topics_with_joint_states_are_chosen(tmp_path: Path) -> None:
    """The usual one, then what adds joints; commands and copies are left out."""
    others = [
        joints(k * 20 * MS, names, [0.1] * len(names), topic=topic)
        for k in range(10)
        for topic, names in (
            ("/arm/joint_states", ("a", "b")),
            ("/gripper/states", ("g",)),
            ("/joint_command", ("a", "b", "h")),
        )
    ]
    recording = Recording.open(write_bag(tmp_path / "bag", [*sine(), *others]))
    assert [topic.name for topic in recording.joint_topics] == [
        "/joint_states",
        "/arm/joint_states",
        "/gripper/states",
        "/joint_command",
    ]
    assert recording.chosen_topics() == ["/joint_states", "/gripper/states"]
    assert list(recording.joints()) == ["a", "b", "g"]
    assert recording.chosen_topics({"b"}) == ["/joint_states"]
    assert recording.chosen_topics({"h"}) == ["/joint_command"]


def test_a_topic_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    bad = joints(0, ("x", "y"), (0.0,), topic="/bad")
    recording = Recording.open(write_bag(tmp_path / "bag", [bad, *sine()]))
    by_name = {topic.name: topic for topic in recording.joint_topics}
    assert isinstance(by_name["/bad"].problem, BadInput)
    assert "another number of positions than of names" in str(by_name["/bad"].problem)
    assert by_name["/joint_states"].problem is None
    assert recording.chosen_topics() == ["/joint_states"]


def test_a_recording_that_is_damaged_is_described_as_far_as_it_goes(tmp_path: Path) -> None:
    file = write_ros1_bag(tmp_path / "a.bag", sine(4000))
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = bytes(40)
    file.write_bytes(content)
    recording = Recording.open(file)
    assert recording.topics["/joint_states"].count == 4000
    assert "cannot be read further" in (recording.unreadable or "")
    (topic,) = recording.joint_topics
    assert set(topic.joints) == {"a", "b"}
