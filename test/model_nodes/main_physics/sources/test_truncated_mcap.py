"""Files that break off are read as far as they are whole, and until when is said."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from rosbags.rosbag2 import CompressionMode, StoragePlugin
from support.odd_recordings import COUNT, PERIOD_NS, cut, messages, opened
from support.recorded_bags import Recorded, joints, storage_file, write_bag

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.open_bag import remedy
from model_nodes.main_physics.sources.plan import Plan

MANY = 6_000
"""Enough for several chunks of the writing library."""


def long() -> list[Recorded]:
    names = [f"joint_{'x' * 60}_{i}" for i in range(8)]
    return [joints(k * PERIOD_NS, names, [0.1] * 8) for k in range(MANY)]


def plain(path: Path) -> Plan:
    return open_source(path)


def breaks_off(source: Plan) -> bool:
    return "breaks_off" in {one.name for one in source.findings}


@pytest.mark.parametrize("storage", list(StoragePlugin))
@pytest.mark.parametrize("kept", [0.55, 0.75, 0.98])
@pytest.mark.parametrize("whole_folder", [False, True])
def test_it_is_read_as_far_as_it_goes(
    tmp_path: Path, storage: StoragePlugin, kept: float, whole_folder: bool
) -> None:
    file = cut(tmp_path, kept, storage=storage)
    source = opened(file.parent if whole_folder else file)
    assert breaks_off(source)
    read = source.duration_ns / ((COUNT - 1) * PERIOD_NS)
    assert kept - 0.4 < read < kept + 0.06


@pytest.mark.parametrize("compression", [CompressionMode.NONE, CompressionMode.STORAGE])
def test_whole_chunks_and_the_beginning_of_the_last_one(
    tmp_path: Path, compression: CompressionMode
) -> None:
    made = long()
    source = plain(cut(tmp_path, 0.7, made, compression=compression))
    assert breaks_off(source)
    assert 0.55 < source.duration_ns / made[-1].time_ns < 0.8
    source.bind(source.joint_names, PERIOD_NS)
    assert source.motion(source.duration_ns).positions[0] == 0.1
    assert source.ended(source.duration_ns)


@pytest.mark.parametrize("storage", list(StoragePlugin))
@pytest.mark.parametrize("whole_folder", [False, True])
def test_a_compressed_file_that_is_cut_off_is_unpacked_as_far_as_it_goes(
    tmp_path: Path, storage: StoragePlugin, whole_folder: bool
) -> None:
    made = long()
    file = cut(tmp_path, 0.6, made, storage=storage, compression=CompressionMode.FILE)
    source = plain(file.parent if whole_folder else file)
    (found,) = [one for one in source.findings if one.name == "breaks_off"]
    assert found.arguments["file"] == file.name
    assert found.arguments["until"] == source.duration_ns / 1e9
    assert 0.3 < source.duration_ns / made[-1].time_ns < 0.7
    source.bind(source.joint_names, PERIOD_NS)
    assert source.motion(source.duration_ns).positions[0] == 0.1


def test_a_tail_of_zeros_is_no_record(tmp_path: Path) -> None:
    """As a file system leaves it when the power fails."""
    made = long()
    file = cut(tmp_path, 0.7, made)
    with file.open("ab") as stream:
        stream.write(bytes(100_000))
    source = plain(file)
    assert breaks_off(source)
    assert 0.4 < source.duration_ns / made[-1].time_ns < 0.8


@pytest.mark.parametrize("missing", [1, 8, 37, 60])
def test_only_the_index_is_cut_off(tmp_path: Path, missing: int) -> None:
    file = storage_file(write_bag(tmp_path / "bag", messages()))
    file.write_bytes(file.read_bytes()[:-missing])
    source = opened(file)
    assert source.duration_ns == (COUNT - 1) * PERIOD_NS
    assert source.findings == ()


def test_an_mcap_file_without_index_is_whole(tmp_path: Path) -> None:
    file = storage_file(write_bag(tmp_path / "bag", messages()))
    content = bytearray(file.read_bytes())
    content[-28:-20] = bytes(8)
    file.write_bytes(content)
    assert opened(file).findings == ()


def test_the_last_part_of_a_split_recording_breaks_off(tmp_path: Path) -> None:
    folder = tmp_path / "split"
    folder.mkdir()
    made = messages()
    for i, part in enumerate((made[:120], made[120:])):
        shutil.move(storage_file(write_bag(tmp_path / f"b{i}", part)), folder / f"split_{i}.mcap")
    last = folder / "split_1.mcap"
    last.write_bytes(last.read_bytes()[:20_000])
    source = opened(folder)
    assert breaks_off(source)
    assert 120 * PERIOD_NS < source.duration_ns < (COUNT - 1) * PERIOD_NS


def test_an_sqlite_recorder_that_was_killed_has_left_messages_beside_its_file(
    tmp_path: Path,
) -> None:
    file = storage_file(write_bag(tmp_path / "bag", messages(), storage=StoragePlugin.SQLITE3))
    killed = tmp_path / "killed"
    killed.mkdir()
    with closing(sqlite3.connect(file)) as writing:
        writing.execute("PRAGMA journal_mode=WAL")
        writing.execute("PRAGMA wal_autocheckpoint=0")
        rows = writing.execute("SELECT topic_id, timestamp, data FROM messages").fetchall()
        topic, last, data = rows[-1]
        writing.executemany(
            "INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)",
            [(topic, last + k * PERIOD_NS, data) for k in range(1, 81)],
        )
        writing.commit()
        for part in (file, file.with_name(file.name + "-wal")):
            shutil.copy(part, killed / part.name)
    before = _content(killed)
    source = opened(killed / file.name)
    assert source.duration_ns == (COUNT + 79) * PERIOD_NS
    source.close()
    assert _content(killed) == before


def _content(folder: Path) -> Sequence[tuple[str, bytes]]:
    return sorted((file.name, file.read_bytes()) for file in folder.iterdir())


def test_nothing_of_it_is_whole(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not one message of the file is whole"):
        opened(cut(tmp_path, 0.001))


def test_tools_are_named_where_they_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert remedy("Bag is not indexed.", Path("a b.bag")) == "a bag that was closed"
    tool = tmp_path / "rosbag"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert "`rosbag reindex 'a b.bag'` may help" in str(remedy("not indexed", Path("a b.bag")))
