"""What is wrong with a recording is said before the run, or when playback reaches it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from support.recorded_bags import (
    MS,
    TYPES,
    Recorded,
    annotation,
    joints,
    plain,
    sine,
    storage_file,
    write_bag,
)

from hetwin_core.ensemble.errors import BadInput, RunFailed
from model_nodes.main_physics.sources.factory import open_source

JOINT_STATE = "sensor_msgs/msg/JointState"


def refused(spec: Any, *words: str) -> BadInput:
    """Opening it must fail with all these words in the text."""
    with pytest.raises(BadInput) as failure:
        open_source(spec)
    for word in words:
        assert word in str(failure.value)
    return failure.value


def test_missing_path(tmp_path: Path) -> None:
    refused(tmp_path / "nothing.mcap", "nothing.mcap", "no such recording", "metadata.yaml")


def test_no_recording(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    refused(tmp_path / "folder", "no metadata.yaml")
    for name in ("notes.txt", "old.bag", "fake.mcap", "fake.db3", "empty.mcap", "empty.db3"):
        (tmp_path / name).write_bytes(b"" if name.startswith("empty") else b"hello " * 100)
        assert refused(tmp_path / name, name).expected


@pytest.mark.parametrize(
    "text",
    ["", "a: [", "rosbag2_bagfile_information: 3", "rosbag2_bagfile_information: {version: 9}"],
)
def test_malformed_metadata(tmp_path: Path, text: str) -> None:
    folder = write_bag(tmp_path / "bag", sine())
    (folder / "metadata.yaml").write_text(text)
    refused(folder, str(folder), "cannot be opened")


@pytest.mark.parametrize("storage", list(StoragePlugin))
@pytest.mark.parametrize("single_file", [False, True])
@pytest.mark.parametrize("kept", [0.0, 0.0005])
def test_cut_off_before_the_first_message(
    tmp_path: Path, storage: StoragePlugin, single_file: bool, kept: float
) -> None:
    folder = write_bag(tmp_path / "bag", sine(400), storage=storage)
    file = storage_file(folder)
    content = file.read_bytes()
    file.write_bytes(content[: int(kept * len(content))])
    refused(file if single_file else folder, str(file if single_file else folder))


def test_compressed_file_cut_off(tmp_path: Path) -> None:
    folder = write_bag(tmp_path / "bag", sine(), compression=CompressionMode.FILE)
    file = storage_file(folder)
    file.write_bytes(file.read_bytes()[:-50])
    refused(folder, str(folder), "cannot be opened")


def test_empty_recording(tmp_path: Path) -> None:
    folder = write_bag(tmp_path / "bag", [], empty_topics=[("/joint_states", JOINT_STATE)])
    refused(folder, "empty")


def test_no_joint_states(tmp_path: Path) -> None:
    battery = plain(0, "/battery", "std_msgs/msg/Float32", data=0.5)
    folder = write_bag(tmp_path / "bag", [battery])
    refused(folder, "no joint states", JOINT_STATE, "/battery (std_msgs/msg/Float32)")
    named = {"recording": str(folder), "joint_states": ["/joints"]}
    refused(named, "no topic /joints", "joint_states.0", "/battery (std_msgs/msg/Float32)")
    error = refused({"recording": str(folder), "joint_states": ["/battery"]}, "Float32")
    assert error.expected is not None
    assert JOINT_STATE in error.expected


def test_joint_state_topic_without_messages(tmp_path: Path) -> None:
    battery = plain(0, "/battery", "std_msgs/msg/Float32", data=0.5)
    folder = write_bag(tmp_path / "bag", [battery], empty_topics=[("/joint_states", JOINT_STATE)])
    refused(folder, "no joint position", "no message at all")


def test_joint_states_without_positions(tmp_path: Path) -> None:
    silent = joints(0, ("a",), (), velocities=(1.0,))
    refused(write_bag(tmp_path / "bag", [silent]), "no joint position", "1 messages")
    source = open_source(write_bag(tmp_path / "more", [silent, *sine()[1:]]))
    assert source.joint_names == ("a", "b")
    assert {f.arguments.get("what") for f in source.findings} == {"no_positions", None}


def test_a_joint_twice_in_a_message(tmp_path: Path) -> None:
    refused(write_bag(tmp_path / "bag", [joints(0, ("a", "b", "a"), (0.0, 1.0, 2.0))]), "twice")


def test_time_may_go_back_between_joints(tmp_path: Path) -> None:
    """Of another publisher only its own joints count."""
    late = joints(101 * MS, ("c",), (0.5,), stamp_ns=30 * MS)
    messages = sorted([*sine(), late], key=lambda m: m.time_ns)
    source = open_source(write_bag(tmp_path / "bag", messages))
    assert source.joint_names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("renamed", "words"),
    [({"z": "y"}, ("joints.z", "a, b")), ({"a": "b"}, ("joints.a", "same name"))],
)
def test_renaming_that_goes_wrong(
    tmp_path: Path, renamed: dict[str, str], words: tuple[str, ...]
) -> None:
    folder = write_bag(tmp_path / "bag", sine())
    refused({"recording": str(folder), "joints": renamed}, *words)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"topic": "/none"}, ("annotations.0.topic", "/tag (std_msgs/msg/Float32)")),
        ({"topic": "/tag"}, ("annotations.0", "ActionAnnotation", "map")),
        ({"topic": "/tag", "map": {1: "x"}}, ("annotations.0.field", "integer or a string")),
        ({"topic": "/tag", "field": "x", "map": {1: "x"}}, ("annotations.0.field", "data")),
        ({"topic": "/tag", "field": "data.x", "map": {1: "x"}}, ("annotations.0.field", "data")),
        ({"topic": "/tag", "map": {}}, ("source.annotations.0.map",)),
        ({"topic": "/tag", "map": {1: 2}}, ("source.annotations.0.map.1",)),
        ({"topic": "/tag", "values": {}}, ("source.annotations.0.values",)),
    ],
)
def test_annotations_that_make_no_sense(
    tmp_path: Path, entry: dict[str, Any], words: tuple[str, ...]
) -> None:
    tag = plain(0, "/tag", "std_msgs/msg/Float32", data=0.5)
    folder = write_bag(tmp_path / "bag", [tag, *sine()])
    refused({"recording": str(folder), "annotations": [entry]}, *words)


def test_watched_topic_that_is_not_there(tmp_path: Path) -> None:
    folder = write_bag(tmp_path / "bag", sine())
    refused({"recording": str(folder), "topics": ["/x"]}, "topics.0", "/joint_states")


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        ({}, "source.recording"),
        ({"recording": ""}, "source.recording"),
        ({"recording": 3}, "source.recording"),
        ({"recording": "x", "joint_state": []}, "source.joint_state"),
        ({"recording": "x", "joint_states": []}, "source.joint_states"),
        ({"recording": "x", "joint_states": "y"}, "source.joint_states"),
        ({"recording": "x", "joints": {"a": 1}}, "source.joints.a"),
        (["x"], "source"),
    ],
)
def test_spec_that_makes_no_sense(spec: Any, where: str) -> None:
    error = refused(spec)
    assert error.where == where
    assert error.expected


def _cut(raw: bytes) -> bytes:
    return raw[:-9]


def _zeros(raw: bytes) -> bytes:
    return bytes(len(raw))


def _noise(raw: bytes) -> bytes:
    return raw[:12] + bytes(np.random.default_rng(1).integers(0, 256, len(raw) - 12, np.uint8))


def _longer(raw: bytes) -> bytes:
    return raw + bytes(8)


def _nothing(_: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [_cut, _zeros, _noise, _longer, _nothing])
@pytest.mark.parametrize("storage", list(StoragePlugin))
def test_a_message_that_cannot_be_decoded(
    tmp_path: Path, damage: Callable[[bytes], bytes], storage: StoragePlugin
) -> None:
    messages = sine()
    raw = bytes(TYPES.serialize_cdr(messages[50].message, JOINT_STATE))
    at = messages[50].time_ns
    whole = open_source(write_bag(tmp_path / "whole", messages, storage=storage))
    messages[50] = Recorded("/joint_states", JOINT_STATE, at, damage(raw))
    source = open_source(write_bag(tmp_path / "bag", messages, storage=storage))
    source.bind(("a", "b"), 5 * MS)
    whole.bind(("a", "b"), 5 * MS)
    for time_ns in range(0, messages[48].time_ns, 5 * MS):
        np.testing.assert_array_equal(
            source.motion(time_ns).positions, whole.motion(time_ns).positions
        )
    source.motion(at - 1)
    assert not source.ended(source.duration_ns)
    with pytest.raises(RunFailed, match="/joint_states, message 51 cannot be decoded") as failure:
        source.motion(at)
    assert failure.value.time_ns == at
    assert (failure.value.model, failure.value.call) == ("recording", "read")


def test_nothing_can_be_decoded(tmp_path: Path) -> None:
    broken = [Recorded("/joint_states", JOINT_STATE, k * MS, b"\0\1\0\0") for k in range(3)]
    refused(write_bag(tmp_path / "bag", broken), "message 1 cannot be decoded")


def test_damaged_chunk(tmp_path: Path) -> None:
    """A compressed part in the middle is damaged: all before it plays, then the run fails."""
    rng = np.random.default_rng(0)
    names = [f"joint_{i}" for i in range(60)]
    messages = [joints(k * 10 * MS, names, rng.normal(size=60).tolist()) for k in range(2500)]
    folder = write_bag(tmp_path / "bag", messages, compression=CompressionMode.STORAGE)
    file = storage_file(folder)
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4000] = bytes(4000)
    file.write_bytes(content)
    source = open_source(folder)
    source.bind(names, 10 * MS)

    def play() -> None:
        for message in messages:
            found = source.motion(message.time_ns).positions
            np.testing.assert_array_equal(found, message.message.position)

    with pytest.raises(RunFailed, match="cannot be read further") as failure:
        play()
    assert 2 * 10**9 < failure.value.time_ns < 20 * 10**9


def test_index_that_promises_more(tmp_path: Path) -> None:
    """A message whose record lost its kind is skipped by readers; only the count reveals it."""
    messages = sine()
    raw = bytes(TYPES.serialize_cdr(messages[50].message, JOINT_STATE))
    folder = write_bag(tmp_path / "bag", messages)
    file = storage_file(folder)
    content = bytearray(file.read_bytes())
    kind = content.index(raw) - 31
    assert content[kind] == 5
    content[kind] = 0x77
    file.write_bytes(content)
    source = open_source(folder)
    source.bind(("a", "b"), 5 * MS)
    source.motion(source.duration_ns - 1)
    assert not source.ended(source.duration_ns)
    with pytest.raises(RunFailed, match="lists 100 messages of /joint_states, but it contains 99"):
        source.motion(source.duration_ns)


@pytest.mark.parametrize("storage", list(StoragePlugin))
def test_damage_anywhere_is_never_a_traceback(tmp_path: Path, storage: StoragePlugin) -> None:
    """It is refused, it fails the run, or (in a number) it goes unnoticed."""
    rng = np.random.default_rng(7)
    messages = [*sine(), annotation(2_000 * MS, "reach", "begin", {"hand": "right"})]
    file = storage_file(write_bag(tmp_path / "bag", messages, storage=storage))
    content = file.read_bytes()
    endings = set()
    for place in rng.integers(0, len(content) - 32, 60):
        damaged = bytearray(content)
        damaged[place : place + 32] = rng.bytes(32)
        file.write_bytes(damaged)
        try:
            source = open_source(file)
            source.bind(source.joint_names, 50 * MS)
            for time_ns in range(0, source.duration_ns + 1, 50 * MS):
                source.motion(time_ns)
                source.events(time_ns)
            source.close()
            endings.add("played")
        except (BadInput, RunFailed) as error:
            endings.add(type(error).__name__)
    assert {"BadInput", "RunFailed"} <= endings
