"""Recordings of strangers: what they unpack to is bounded, however they are packed."""

from __future__ import annotations

import os
import sqlite3
import tracemalloc
from pathlib import Path

import pytest
from rosbags.rosbag1 import Writer as Writer1
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from support.bombs import MIB, chunk, chunk_of, large_chunk, mcap, message, zeros
from support.recorded_bags import TYPES, joints, sine, storage_file, write_bag, write_ros1_bag

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import VARIABLE
from model_nodes.main_physics.sources.recording import Recording


def read(path: Path) -> None:
    """Read a recording with one topic of joint states."""
    (topic,) = Recording.open(path).joint_topics
    if topic.problem is not None:
        raise topic.problem


def refused(path: Path, match: str) -> None:
    """Check that a recording is refused in little memory; the limit is 8 MiB here."""
    tracemalloc.start()
    try:
        with pytest.raises(BadInput, match=match) as caught:
            read(path)
        assert tracemalloc.get_traced_memory()[1] < 40 * MIB
    finally:
        tracemalloc.stop()
    assert str(path.name) in str(caught.value)


@pytest.fixture(autouse=True)
def eight_mib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "8")


@pytest.mark.parametrize("kind", ["zstd", "lz4"])
@pytest.mark.parametrize("said", [200 * MIB, 1000])
def test_a_chunk_that_unpacks_to_much(tmp_path: Path, kind: str, said: int) -> None:
    path = mcap(tmp_path / "a.mcap", [chunk(zeros(kind, 200), kind, said)])
    refused(path, r"unpacks? to more than (8 MiB|1000 bytes); if trusted, set HETWIN_LARGEST_MIB")


def test_many_chunks_are_unpacked_one_after_another(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        read(mcap(tmp_path / "a.mcap", [chunk_of(message()), large_chunk(7) * 10]))
        assert tracemalloc.get_traced_memory()[1] < 40 * MIB
    finally:
        tracemalloc.stop()


def test_chunks_of_the_same_time_would_be_unpacked_at_once(tmp_path: Path) -> None:
    writer = Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        place = writer.add_connection("/a", "std_msgs/msg/String", typestore=TYPES)
        for _ in range(10):
            writer.write(place, 10**18, bytes(7 * MIB))
    refused(tmp_path / "bag", "it unpacks to more than 16 MiB")


def test_millions_of_messages_in_a_chunk(tmp_path: Path) -> None:
    path = mcap(tmp_path / "a.mcap", [chunk_of(message() * 200_000)])
    refused(path, "the messages of a chunk take more than 8 MiB")


def test_a_chunk_of_a_file_that_breaks_off(tmp_path: Path) -> None:
    first = write_bag(tmp_path / "bag", sine(), compression=CompressionMode.STORAGE)
    good = storage_file(first).read_bytes()
    path = tmp_path / "cut.mcap"
    path.write_bytes(good[: len(good) // 2] + chunk(zeros("zstd", 200), "zstd", 200 * MIB)[:-50])
    tracemalloc.start()
    try:
        assert Recording.open(path).joints().keys() == {"a", "b"}
        assert tracemalloc.get_traced_memory()[1] < 40 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("storage", [StoragePlugin.MCAP, StoragePlugin.SQLITE3])
def test_a_file_that_is_compressed_as_a_whole(tmp_path: Path, storage: StoragePlugin) -> None:
    bag = write_bag(tmp_path / "bag", sine(), storage=storage, compression=CompressionMode.FILE)
    file = storage_file(bag)
    assert Recording.open(bag).joints().keys() == {"a", "b"}
    file.write_bytes(file.read_bytes() + zeros("zstd", 40))
    refused(bag, "it unpacks to more than 16 MiB")
    bare = tmp_path / file.name
    file.rename(bare)
    refused(bare, "it unpacks to more than 16 MiB")


def test_messages_that_are_compressed_one_by_one(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", sine(20), storage=StoragePlugin.SQLITE3)
    with sqlite3.connect(storage_file(bag)) as rows:
        rows.execute("UPDATE messages SET data = ? WHERE id = 3", (zeros("zstd", 40),))
    for path in (bag, storage_file(bag)):
        refused(path, "it unpacks to more than 8 MiB")


@pytest.mark.parametrize("kind", ["bz2", "lz4"])
def test_a_chunk_of_ros_1(tmp_path: Path, kind: str) -> None:
    large = joints(0, ("a",), (0.0,), efforts=[0.0] * (2 * MIB))
    way = Writer1.CompressionFormat[kind.upper()]
    path = write_ros1_bag(tmp_path / "a.bag", [*sine(), large], compression=way)
    refused(path, "it unpacks to more than 8 MiB")


COMPUTED = {
    "a column": "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER,"
    " data BLOB GENERATED ALWAYS AS (zeroblob(1000000000)))",
    "a view": "CREATE VIEW messages AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r)"
    " SELECT n AS id, 1 AS topic_id, n AS timestamp, zeroblob(9) AS data FROM r",
}


@pytest.mark.parametrize("kind", COMPUTED)
def test_a_database_that_computes_its_rows(tmp_path: Path, kind: str) -> None:
    bag = write_bag(tmp_path / "bag", sine(5), storage=StoragePlugin.SQLITE3)
    with sqlite3.connect(storage_file(bag)) as rows:
        rows.execute("DROP TABLE messages")
        rows.execute(COMPUTED[kind])
        if kind == "a column":
            rows.execute("INSERT INTO messages(topic_id, timestamp) VALUES (1, 1)")
        rows.execute("PRAGMA writable_schema=ON")
        rows.execute("UPDATE sqlite_master SET type='table' WHERE name='messages'")
    refused(bag, "computes messages|malformed database schema")


def test_a_database_with_a_row_that_is_too_large(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", sine(5), storage=StoragePlugin.SQLITE3)
    with sqlite3.connect(storage_file(bag)) as rows:
        rows.execute("UPDATE messages SET data = zeroblob(20000000) WHERE id = 3")
    assert "blob too big" in str(Recording.open(bag).unreadable)


def test_a_pipe_in_the_place_of_a_file(tmp_path: Path) -> None:
    for storage in (StoragePlugin.MCAP, StoragePlugin.SQLITE3):
        bag = write_bag(tmp_path / storage.name, sine(5), storage=storage)
        file = storage_file(bag)
        file.unlink()
        os.mkfifo(file)
        refused(bag, "not a regular file")
    os.mkfifo(tmp_path / "a.bag")
    refused(tmp_path / "a.bag", "there is no such recording")
