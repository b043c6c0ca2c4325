"""Recordings that cannot be used: exit code 2, and an error that names file, topic or joint, found, expected."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from rosbags.rosbag2 import StoragePlugin
from support.hetwin_command import hetwin, refused
from support.recorded_bags import plain, write_bag
from support.tabletop import JOINTS, change, tabletop, write_recording


def storage(folder: Path) -> Path:
    return next(path for path in folder.iterdir() if path.name != "metadata.yaml")


def truncated(folder: Path, kind: StoragePlugin) -> None:
    file = storage(write_recording(folder, JOINTS, count=200, storage=kind))
    content = file.read_bytes()
    file.write_bytes(content[:300])


def garbage(folder: Path) -> None:
    storage(write_recording(folder, JOINTS)).write_bytes(b"no recording at all" * 100)


def without_storage(folder: Path) -> None:
    storage(write_recording(folder, JOINTS)).unlink()


def without_metadata(folder: Path) -> None:
    folder.mkdir()


def broken_metadata(folder: Path) -> None:
    (write_recording(folder, JOINTS) / "metadata.yaml").write_text("rosbag2: [")


KINDS: dict[str, tuple[Callable[[Path], object], tuple[str, ...]]] = {
    "missing": (lambda folder: None, ("recording",)),
    "a text file": (lambda folder: folder.write_text("hello"), ("recording",)),
    "folder without anything": (without_metadata, ("recording",)),
    "metadata malformed": (broken_metadata, ("metadata.yaml",)),
    "storage missing": (without_storage, ("recording",)),
    "truncated MCAP": (lambda folder: truncated(folder, StoragePlugin.MCAP), ("not one message",)),
    "truncated sqlite3": (
        lambda folder: truncated(folder, StoragePlugin.SQLITE3),
        ("recording",),
    ),
    "garbage": (garbage, ("recording",)),
    "no joint states": (
        lambda folder: write_bag(folder, [plain(0, "/other", "std_msgs/msg/Int32", data=1)]),
        ("no joint states", "/other (std_msgs/msg/Int32)", "sensor_msgs/msg/JointState"),
    ),
    "no message": (lambda folder: write_recording(folder, JOINTS, count=0), ("recording",)),
    "names that match nothing": (
        lambda folder: write_recording(folder, ["elbow", "knee"]),
        ("elbow",),
    ),
    "NaN": (
        lambda folder: write_recording(folder, JOINTS, lambda joint, sample: float("nan")),
        ("not numbers",),
    ),
    "infinite": (
        lambda folder: write_recording(folder, JOINTS, lambda joint, sample: float("inf")),
        ("not numbers",),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_refused(kind: str, tmp_path: Path) -> None:
    make, says = KINDS[kind]
    file = tabletop(tmp_path, recording=False)
    make(tmp_path / "recording")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


def test_the_source_given_with_the_command_is_checked_too(tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    nowhere = tmp_path / "nowhere"
    out = tmp_path / "run"
    refused(tmp_path, "run", file, "--out", out, "--source", nowhere, says=("nowhere",))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("{recording: recording, speed: 2}", ("speed",)),
        ("{recording: 3}", ("3",)),
        ("{recording: recording, actions: {topic: 3}}", ("actions",)),
    ],
)
def test_options_of_the_source(source: str, says: tuple[str, ...], tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    change(file, "source: recording", f"source: {source}")
    refused(tmp_path, "run", file, "--out", tmp_path / "run", says=says)


def test_a_whole_recording_is_taken(tmp_path: Path) -> None:
    file = tabletop(tmp_path)
    said = hetwin("run", file, "--out", tmp_path / "run", "--no-page")
    assert said.code == 0, said.err
