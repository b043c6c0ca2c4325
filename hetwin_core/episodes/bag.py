"""The bag that a run is logged to: rosbag2 in MCAP, written without ROS."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag2,
    MessageDefinition,
    MessageDefinitionFormat,
)

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.topics import LOGGED, Encoded, Topic
from hetwin_core.ensemble.writing import unwritable, why_not
from hetwin_core.episodes.bag_metadata import (
    METADATA,
    BagTopic,
    as_yaml,
    bag_information,
    metadata_text,
    offered_qos,
)
from hetwin_core.episodes.mcap_file import McapFile
from hetwin_core.episodes.messages import definition, typestore

ROOM = ".room_for_the_end"
FACTS = "hetwin"
"""Name of the record with the facts about a run, near the beginning of the file."""


class LogBag:
    """An open bag with all topics that every log has, and those that are offered beside.

    Definitions and hashes of all types are in the bag, so that any reader can decode it.

    A file beside the bag reserves space on the disk, so that the bag can be finished when the disk is full.

    Args:
        path: folder of the bag; must not exist.
        room: bytes to reserve.

    Raises:
        BadInput: if the folder cannot be made, or the disk is nearly full.
    """

    def __init__(self, path: Path, *, room: int = 0) -> None:
        self._path = path
        try:
            path.mkdir(parents=True)
            self._file = McapFile(path)
        except FileExistsError:
            raise BadInput(
                "the folder already holds a run", file=path, expected="a new folder"
            ) from None
        except OSError as error:
            raise unwritable("the log", path, error) from error
        self._room = path.with_name(ROOM)
        self._keep_room(room)
        self._facts: dict[str, str] = {}
        self._connections: dict[str, Connection] = {}
        self._topics: list[Topic] = []
        self._qos = {latched: offered_qos(latched) for latched in (False, True)}
        for topic in LOGGED:
            self.offer(topic)
        self._open = True

    def offer(self, topic: Topic) -> None:
        """Let messages of one more topic be written; of one that is there nothing changes."""
        if topic.name in self._connections:
            return
        connection = _connection(len(self._topics) + 1, topic)
        if topic.type not in {known.type for known in self._topics}:
            self._file.add_msgtype(connection)
        self._file.add_connection(connection, self._qos[topic.latched])
        self._topics.append(topic)
        self._connections[topic.name] = connection

    def _keep_room(self, size: int) -> None:
        if not size:
            return
        try:
            with self._room.open("xb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            with suppress(OSError):
                self._file.abort()
            shutil.rmtree(self._path, ignore_errors=True)
            self._room.unlink(missing_ok=True)
            raise BadInput(
                f"the log cannot be written: {why_not(error, self._room)}",
                file=self._room.parent,
                expected=f"at least {size // 2**20} MiB on the disk",
            ) from error

    def describe(self, **facts: str) -> None:
        """Write facts about the run into the file, for who reads it before it is complete, and to the bag's metadata.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        self._facts.update(facts)
        try:
            self._file.write_facts(FACTS, facts)
        except OSError as error:
            raise RunFailed("log", "write", 0, self._reason(error)) from error

    def write(self, messages: Iterable[Encoded], now_ns: int = 0) -> None:
        """Write messages; the log time of one that is earlier than now is now.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        time_ns, connections, write = now_ns, self._connections, self._file.write
        try:
            for topic, time_ns, data in messages:
                write(connections[topic.name], max(time_ns, now_ns), data)
        except OSError as error:
            raise RunFailed("log", "write", max(time_ns, now_ns), self._reason(error)) from error

    def flush(self, time_ns: int) -> None:
        """Write everything so far to the disk, so that it outlives the process.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        try:
            self._file.end_chunk()
        except OSError as error:
            raise RunFailed("log", "flush", time_ns, self._reason(error)) from error

    def _reason(self, error: OSError) -> str:
        return f"{why_not(error, self._path)}: {self._path}"

    def use_room(self) -> None:
        """Free the reserved space for the end of the bag."""
        self._room.unlink(missing_ok=True)

    def close(self) -> None:
        """Finish the files; a second call does nothing.

        Raises:
            RunFailed: if the disk cannot be written to; what was written before can still be recovered.
        """
        if not self._open:
            return
        self._open = False
        self.use_room()
        try:
            self._file.end_chunk()
            self._finish()
        except OSError as error:
            with suppress(OSError):
                self._file.abort()
            raise RunFailed("log", "close", 0, self._reason(error)) from error

    def _finish(self) -> None:
        """Write the end of the file and metadata.yaml, which is there once it is complete."""
        file, counts = self._file, self._file.channel_stats
        topics = [
            BagTopic(c.topic, c.msgtype, topic.latched, c.digest, counts[c.id])
            for topic, c in zip(self._topics, self._connections.values(), strict=True)
        ]
        first_ns, last_ns = file.message_start_time, file.message_end_time
        known = bag_information(file.path.name, topics, first_ns, last_ns, self._facts)
        file.close(known["version"], as_yaml(known).strip())
        part = self._path / f"{METADATA}.tmp"
        part.write_text(metadata_text(known), "utf-8")
        part.replace(self._path / METADATA)


def _connection(number: int, topic: Topic) -> Connection:
    """A topic as the library describes it."""
    return Connection(
        number,
        topic.logged_name,
        topic.type,
        MessageDefinition(MessageDefinitionFormat.MSG, definition(topic.type)),
        typestore().hash_rihs01(topic.type),
        0,
        ConnectionExtRosbag2("cdr", []),
        None,
    )
