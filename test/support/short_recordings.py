"""The beginnings of the shipped recordings, for commands of which only is asked whether they work."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer

ROOT = Path(__file__).resolve().parents[2]


def write_beginning(recording: Path, out: Path, seconds: float) -> Path:
    """Copy the first seconds of a recording with all its topics; `out` must not exist."""
    with (
        AnyReader([recording]) as reader,
        Writer(out, version=9, storage_plugin=StoragePlugin.MCAP) as writer,
    ):
        to = {
            connection.id: writer.add_connection(
                connection.topic, connection.msgtype, typestore=reader.typestore
            )
            for connection in reader.connections
        }
        until = reader.start_time + round(seconds * 1e9)
        for connection, time_ns, raw in reader.messages(stop=until):
            writer.write(to[connection.id], time_ns, raw)
    return out


def link_repository(
    folder: Path, beginnings: Mapping[str, float], *, without: tuple[str, ...] = ()
) -> None:
    """Fill a folder with links to all of the repository but hidden files, and with short recordings.

    Args:
        folder: takes what commands write.
        beginnings: shipped episode -> how much of it is kept [s].
        without: entries of the repository that are left out.
    """
    for entry in ROOT.iterdir():
        if not entry.name.startswith(".") and entry.name not in (*without, "scenarios"):
            (folder / entry.name).symlink_to(entry)
    scenarios, episodes = ROOT / "scenarios", ROOT / "scenarios" / "episodes"
    (folder / "scenarios" / "episodes").mkdir(parents=True)
    for entry in scenarios.iterdir():
        if entry.is_file():  # a copy, since links are followed to where they lead
            (folder / "scenarios" / entry.name).write_bytes(entry.read_bytes())
        elif entry != episodes:
            (folder / "scenarios" / entry.name).symlink_to(entry)
    for entry in episodes.iterdir():
        there = folder / "scenarios" / "episodes" / entry.name
        if entry.name in beginnings:
            write_beginning(entry, there, beginnings[entry.name])
        else:
            there.symlink_to(entry)
