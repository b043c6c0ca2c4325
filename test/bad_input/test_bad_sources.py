"""Recordings of people's own robots that cannot be used: exit code 2, in words that say what to do."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from backports import zstd
from rosbags.rosbag2 import CompressionMode
from support.hetwin_command import hetwin, refused
from support.recorded_bags import (
    MS,
    TYPES,
    Recorded,
    header,
    joints,
    plain,
    storage_file,
    write_bag,
    write_ros1_bag,
)
from support.tabletop import JOINTS, change, tabletop

JOINT_STATE = "sensor_msgs/msg/JointState"
ZEROS = [0.0] * len(JOINTS)


def still(count: int = 50, topic: str = "/joint_states") -> list[Recorded]:
    return [joints(k * 20 * MS, JOINTS, ZEROS, topic=topic) for k in range(count)]


def patched(file: Path, old: bytes, new: bytes) -> Path:
    content = file.read_bytes()
    assert old in content
    file.write_bytes(content.replace(old, new))
    return file


def ros1(folder: Path, messages: Sequence[Recorded] | None = None) -> Path:
    messages = still() if messages is None else messages
    return write_ros1_bag(folder / "robot.bag", messages)


# --- ROS 1


def unindexed(folder: Path) -> Path:
    """As a recorder leaves it when it is killed."""
    file = ros1(folder)
    content = bytearray(file.read_bytes())
    at = content.index(b"index_pos=") + len(b"index_pos=")
    content[at : at + 8] = bytes(8)
    file.write_bytes(content)
    return file


def cut_off(folder: Path) -> Path:
    file = ros1(folder)
    file.write_bytes(file.read_bytes()[:-300])
    return file


def of_an_old_version(folder: Path) -> Path:
    return patched(ros1(folder), b"#ROSBAG V2.0", b"#ROSBAG V1.2")


def unknown_codec(folder: Path) -> Path:
    return patched(ros1(folder), b"compression=none", b"compression=brot")


def still_written(folder: Path) -> Path:
    return ros1(folder).rename(folder / "robot.bag.active")


def ros1_empty(folder: Path) -> Path:
    return write_ros1_bag(folder / "robot.bag", [], empty_topics=[("/joint_states", JOINT_STATE)])


# --- files and folders


def two_recordings(folder: Path) -> Path:
    both = folder / "both"
    both.mkdir()
    for name in ("monday", "tuesday"):
        storage_file(write_bag(folder / name, still())).rename(both / f"{name}.mcap")
    return both


def folder_of_recordings(folder: Path) -> Path:
    for name in ("monday", "tuesday"):
        write_bag(folder / "week" / name, still())
    return folder / "week"


def changed_metadata(old: str, new: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        bag = write_bag(folder / "bag", still(), compression=CompressionMode.MESSAGE)
        change(bag / "metadata.yaml", old, new)
        return bag

    return write


def missing_part(folder: Path) -> Path:
    bag = write_bag(folder / "bag", still())
    storage_file(bag).rename(bag / "renamed.mcap")
    return bag


def profile_of_ros1(folder: Path) -> Path:
    file = storage_file(write_bag(folder / "bag", still()))
    content = bytearray(file.read_bytes())
    at = content.index(b"ros2")
    content[at : at + 4] = b"ros1"
    file.write_bytes(content)
    return file


def unknown_chunks(folder: Path) -> Path:
    bag = write_bag(folder / "bag", still(), compression=CompressionMode.STORAGE)
    return patched(storage_file(bag), b"\x04\0\0\0zstd", b"\x04\0\0\0brot")


def half_compressed(folder: Path) -> Path:
    whole = zstd.compress(storage_file(write_bag(folder / "bag", still())).read_bytes())
    file = folder / "robot.mcap.zst"
    file.write_bytes(whole[: len(whole) // 2])
    return file


def an_archive(folder: Path) -> Path:
    file = folder / "robot.zip"
    file.write_bytes(b"PK\x03\x04")
    return file


# --- messages


def of_messages(*messages: Recorded) -> Callable[[Path], Path]:
    return lambda folder: write_bag(folder / "bag", messages)


def velocities_only(folder: Path) -> Path:
    speeds = [joints(k * 20 * MS, JOINTS, (), velocities=ZEROS) for k in range(50)]
    return write_bag(folder / "bag", speeds)


def two_types(folder: Path) -> Path:
    numbers = [plain(k * 20 * MS, "/joint_states", "std_msgs/msg/Int32", data=k) for k in range(9)]
    return ros1(folder, [*still(), *numbers])


def transforms_of_others(folder: Path) -> Path:
    of = TYPES.types
    still_frame = of["geometry_msgs/msg/TransformStamped"](
        header=header(0, "odom"),
        child_frame_id="cart",
        transform=of["geometry_msgs/msg/Transform"](
            translation=of["geometry_msgs/msg/Vector3"](0.0, 0.0, 0.0),
            rotation=of["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0),
        ),
    )
    spin = [
        plain(k * 20 * MS, "/tf", "tf2_msgs/msg/TFMessage", transforms=[still_frame])
        for k in range(50)
    ]
    return write_bag(folder / "bag", spin)


def without_definition(folder: Path) -> Path:
    """A watched topic of a type that only its authors know."""
    file = ros1(folder, [*still(), plain(0, "/mode", "std_msgs/msg/Int32", data=1)])
    return patched(file, b"std_msgs/Int32", b"our_msgs/Int32")


KINDS: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "ROS 1 without index": (unindexed, ("not indexed", "a bag that was closed")),
    "ROS 1 cut off": (cut_off, ("index looks damaged", "a complete bag")),
    "ROS 1 of an old version": (of_an_old_version, ("version 102", "version 2.0")),
    "ROS 1, unknown codec": (
        unknown_codec,
        ("'brot' is not supported", "no compression, bz2 or lz4"),
    ),
    "ROS 1 still written": (still_written, ("not closed", ".bag file")),
    "ROS 1 without messages": (ros1_empty, ("empty", "messages")),
    "two recordings in a folder": (two_recordings, ("more than one", "monday.mcap, tuesday.mcap")),
    "folder of recordings": (folder_of_recordings, ("no metadata.yaml", "monday, tuesday")),
    "file of metadata missing": (missing_part, ("files are missing", "bag.mcap", "one file")),
    "unknown codec in metadata": (
        changed_metadata("compression_format: zstd", "compression_format: brotli"),
        ("'brotli' is not supported", "zstd"),
    ),
    "unknown storage": (
        changed_metadata("storage_identifier: mcap", "storage_identifier: rocksdb"),
        ("'rocksdb'", "mcap or sqlite3"),
    ),
    "unknown serialization": (
        changed_metadata("serialization_format: cdr", "serialization_format: protobuf"),
        ("'protobuf'", "cdr"),
    ),
    "MCAP of ROS 1": (profile_of_ros1, ("Profile is not ros2", "name the .bag file")),
    "MCAP, unknown codec": (unknown_chunks, ("'brot'", "lz4 or zstd")),
    "compressed and cut off": (half_compressed, ("robot.mcap.zst", "complete")),
    "an archive": (an_archive, ("'.zip'", "unpack")),
    "messages without joints": (
        of_messages(*(joints(k * MS, (), ()) for k in range(5))),
        ("no joint positions", "5 messages, all without joints"),
    ),
    "velocities only": (velocities_only, ("no joint positions", "50 messages", "positions")),
    "fewer positions than names": (
        of_messages(*(joints(k * 20 * MS, JOINTS, ZEROS[:2]) for k in range(50))),
        ("50 messages", "more or fewer positions than names"),
    ),
    "no duration": (of_messages(*(joints(0, JOINTS, ZEROS) for _ in range(3))), ("no duration",)),
    "two types on a topic": (two_types, ("several types", "std_msgs/msg/Int32")),
    "transforms of others": (transforms_of_others, ("without", "cart, odom", "joint states")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_refused(kind: str, tmp_path: Path) -> None:
    make, says = KINDS[kind]
    file = tabletop(tmp_path, recording=False)
    source = make(tmp_path)
    refused(tmp_path, "run", file, "--out", tmp_path / "run", "--source", source, says=says)


OPTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "a topic that is not there": (
        "joint_states: [/arm/joint_states]",
        ("no topic /arm/joint_states", "joint_states.0", f"/joint_states ({JOINT_STATE})"),
    ),
    "a topic of another type": (
        "joint_states: [/mode]",
        ("/mode does not contain joint states", "std_msgs/msg/Int32", JOINT_STATE),
    ),
    "transforms that are not there": ("joints_from: tf", ("no transforms", "/tf", "joints_from")),
    "neither joint states nor transforms": (
        "joints_from: TF",
        ("joints_from", "'joint_states' or 'tf'"),
    ),
    "transforms and a topic with joint states": (
        "joints_from: tf, joint_states: [/joint_states]",
        ("joint_states", "joints_from"),
    ),
    "a joint that was not recorded": (
        "joints: {elbow: shoulder_pan_joint}",
        ("joints.elbow", "not recorded"),
    ),
    "a watched topic that is not there": ("topics: [/modes]", ("no topic /modes", "/mode (")),
}


@pytest.mark.parametrize("ros", [1, 2])
@pytest.mark.parametrize("kind", OPTIONS)
def test_an_option_that_does_not_fit_is_refused(kind: str, ros: int, tmp_path: Path) -> None:
    options, says = OPTIONS[kind]
    messages = [*still(), plain(0, "/mode", "std_msgs/msg/Int32", data=1)]
    bag = ros1(tmp_path, messages) if ros == 1 else write_bag(tmp_path / "bag", messages)
    file = tabletop(tmp_path, recording=False)
    change(file, "source: recording", f"source: {{recording: {bag}, {options}}}")
    refused(tmp_path, "check", file, says=says)


def test_a_watched_topic_whose_type_is_not_defined(tmp_path: Path) -> None:
    file = tabletop(tmp_path, recording=False)
    bag = without_definition(tmp_path)
    patched(bag, b"int32 data\n", b"Unknown d!\n")
    change(file, "source: recording", f"source: {{recording: {bag}, topics: [/mode]}}")
    says = ("our_msgs/msg/Int32", "/mode", "definition")
    refused(tmp_path, "check", file, says=says)


def test_stamps_that_are_all_zero_are_replaced_by_log_times(tmp_path: Path) -> None:
    file = tabletop(tmp_path, recording=False)
    epoch = struct.pack("<iI", 0, 0)
    messages = [
        replace(m, message=raw[:4] + epoch + raw[12:])
        for m in still()
        for raw in [bytes(TYPES.serialize_cdr(m.message, m.type))]
    ]
    bag = write_bag(tmp_path / "bag", messages)
    said = hetwin("run", file, "--out", tmp_path / "run", "--source", bag, "--no-page")
    assert said.code == 0, said.err
    assert "the log times are used instead" in said.out + said.err


def test_a_ros1_bag_is_run(tmp_path: Path) -> None:
    file = tabletop(tmp_path, recording=False)
    said = hetwin("run", file, "--out", tmp_path / "run", "--source", ros1(tmp_path), "--no-page")
    assert said.code == 0, said.err
