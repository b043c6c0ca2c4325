"""Writes bags without ROS: logs of runs, and recordings of robots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from textwrap import indent
from typing import Any, NamedTuple

import numpy as np
import yaml
from rosbags.interfaces import (
    Connection,
    ConnectionExtRosbag2,
    MessageDefinition,
    MessageDefinitionFormat,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import LOGGED, Encoded, Topic
from hetwin_core.ensemble.writing import unwritable, write_failure_reason
from hetwin_core.episodes.mcap_file import McapFile
from hetwin_core.episodes.messages import definition, header, typestore
from hetwin_core.episodes.run_messages import encoded

METADATA = "metadata.yaml"
_VERSION = 9
_MAX_WIDTH = 10_000
_FOREVER = {"sec": 9223372036, "nsec": 854775807}
_DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The C dumper if PyYAML was built with it, which is ten times as fast."""
_INFORMATION = "rosbag2_bagfile_information"


class BagTopic(NamedTuple):
    """A topic of a bag.

    Attributes:
        digest: hash of its type.
        messages: number of messages.
    """

    name: str
    type: str
    latched: bool
    digest: str
    messages: int


def offered_qos(latched: bool) -> str:
    """Return the quality of service for playing a topic back, as in MCAP files."""
    return as_yaml(_qos(latched)).strip()


def bag_information(
    file: str, topics: Iterable[BagTopic], first_ns: int, last_ns: int, facts: Mapping[str, str]
) -> dict[str, Any]:
    """Return the content of metadata.yaml; the bag's file contains a copy.

    Args:
        file: name of the bag's only file.
        topics: all topics.
        first_ns: log time of the first message.
        last_ns: log time of the last message.
        facts: facts about the run.
    """
    rows = [
        {
            "topic_metadata": {
                "name": topic.name,
                "type": topic.type,
                "serialization_format": "cdr",
                "offered_qos_profiles": _qos(topic.latched),
                "type_description_hash": topic.digest,
            },
            "message_count": topic.messages,
        }
        for topic in topics
    ]
    return {
        "version": _VERSION,
        "storage_identifier": "mcap",
        "relative_file_paths": [file],
        **_span(rows, first_ns, last_ns),
        "topics_with_message_count": rows,
        "compression_format": "",
        "compression_mode": "",
        "files": [{"path": file, **_span(rows, first_ns, last_ns)}],
        "custom_data": dict(facts) or None,
        "ros_distro": "rosbags",
    }


def metadata_text(information: str) -> str:
    """Return the content of metadata.yaml with this information, in YAML."""
    return f"{_INFORMATION}:\n{indent(information, '  ')}"


def as_yaml(content: object) -> str:
    """Return YAML that rosbag2 can read."""
    return str(yaml.dump(content, Dumper=_DUMPER, sort_keys=False, width=_MAX_WIDTH))


def _span(rows: Sequence[Mapping[str, Any]], first_ns: int, last_ns: int) -> dict[str, Any]:
    return {
        "starting_time": {"nanoseconds_since_epoch": first_ns},
        "duration": {"nanoseconds": max(0, last_ns - first_ns)},
        "message_count": sum(row["message_count"] for row in rows),
    }


def _qos(latched: bool) -> list[dict[str, Any]]:
    return [
        {
            "history": "keep_last",
            "depth": 1 if latched else 1000,
            "reliability": "reliable",
            "durability": "transient_local" if latched else "volatile",
            "deadline": dict(_FOREVER),
            "lifespan": dict(_FOREVER),
            "liveliness": "automatic",
            "liveliness_lease_duration": dict(_FOREVER),
            "avoid_ros_namespace_conventions": False,
        }
    ]


RESERVED_FILE = ".room_for_the_end"
FACTS = "hetwin"
"""Name of the record with the facts about a run, near the start of the file."""


class LogBag:
    """An open bag with the standard topics of a log and those added with `offer`.

    Definitions and hashes of all types are in the bag, so that any reader can decode it. A file beside the bag
    reserves space on the disk, so that the bag can be finished when the disk is full.

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
        self._room = path.with_name(RESERVED_FILE)
        self._reserve_space(room)
        self._facts: dict[str, str] = {}
        self._connections: dict[str, Connection] = {}
        self._topics: list[Topic] = []
        self._qos = {latched: offered_qos(latched) for latched in (False, True)}
        for topic in LOGGED:
            self.offer(topic)
        self._open = True

    def offer(self, topic: Topic) -> None:
        """Add a topic, unless the bag already has it."""
        if topic.name in self._connections:
            return
        connection = _connection(len(self._topics) + 1, topic)
        if topic.type not in {known.type for known in self._topics}:
            self._file.add_msgtype(connection)
        self._file.add_connection(connection, self._qos[topic.latched])
        self._topics.append(topic)
        self._connections[topic.name] = connection

    def _reserve_space(self, size: int) -> None:
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
                f"the log cannot be written: {write_failure_reason(error, self._room)}",
                file=self._room.parent,
                expected=f"at least {size // 2**20} MiB on the disk",
            ) from error

    def describe(self, **facts: str) -> None:
        """Write facts about the run into the file, for readers of an unfinished file, and into the bag's metadata.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        self._facts.update(facts)
        try:
            self._file.write_facts(FACTS, facts)
        except OSError as error:
            raise RunFailed("log", "write", 0, self._reason(error)) from error

    def write(self, messages: Iterable[Encoded], now_ns: int = 0) -> None:
        """Write messages; log times earlier than `now_ns` are raised to it.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        try:
            self._file.write_all(messages, self._connections, now_ns)
        except OSError as error:
            raise RunFailed("log", "write", now_ns, self._reason(error)) from error

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
        return f"{write_failure_reason(error, self._path)}: {self._path}"

    def release_space(self) -> None:
        """Free the reserved space, so that the end of the bag can be written."""
        self._room.unlink(missing_ok=True)

    def close(self) -> None:
        """Finish the files; a second call does nothing.

        Raises:
            RunFailed: if the disk cannot be written to; earlier messages can still be recovered.
        """
        if not self._open:
            return
        self._open = False
        self.release_space()
        try:
            self._file.end_chunk()
            self._finish()
        except OSError as error:
            with suppress(OSError):
                self._file.abort()
            raise RunFailed("log", "close", 0, self._reason(error)) from error

    def _finish(self) -> None:
        """Write the end of the file, then metadata.yaml, which exists only for a complete bag."""
        file, counts = self._file, self._file.channel_stats
        topics = [
            BagTopic(c.topic, c.msgtype, topic.latched, c.digest, counts[c.id])
            for topic, c in zip(self._topics, self._connections.values(), strict=True)
        ]
        first_ns, last_ns = file.message_start_time, file.message_end_time
        known = bag_information(file.path.name, topics, first_ns, last_ns, self._facts)
        text = as_yaml(known)
        file.close(known["version"], text.strip())
        temporary = self._path / f"{METADATA}.tmp"
        temporary.write_text(metadata_text(text), "utf-8")
        temporary.replace(self._path / METADATA)


def _connection(number: int, topic: Topic) -> Connection:
    """Convert a topic to the library's class."""
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


def recording_writer(folder: Path) -> Writer:
    """Return a writer of a compressed recording into a folder that must not exist; it is a context manager."""
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    return writer


def write_recording(
    folder: Path,
    messages: Iterable[Encoded],
    topics: Iterable[Topic] = (),
    types: Typestore | None = None,
) -> None:
    """Write messages sorted by time (stable).

    Args:
        folder: the bag; must not exist.
        messages: their times are the recorder's reception times.
        topics: topics that come first, and are in the recording even without a message.
        types: types that define the messages; None: those of a log.
    """
    rows = sorted(messages, key=lambda message: message.time_ns)
    store = typestore() if types is None else types
    with recording_writer(folder) as writer:
        kinds = {topic.logged_name: topic.type for topic in topics}
        kinds |= {row.topic.logged_name: row.topic.type for row in rows}
        connections = {
            name: writer.add_connection(name, kind, typestore=store) for name, kind in kinds.items()
        }
        for topic, time_ns, data in rows:
            writer.write(connections[topic.logged_name], time_ns, data)


def joint_state(
    topic: Topic,
    received_ns: int,
    stamp_ns: int,
    names: Sequence[str],
    positions: Floats,
    velocities: Floats | None = None,
    efforts: Floats | None = None,
    *,
    frame: str = "",
) -> Encoded:
    """Encode a ``sensor_msgs/msg/JointState``; values that are None are omitted."""
    empty = np.zeros(0)
    return encoded(
        topic,
        received_ns,
        header=header(stamp_ns, frame),
        name=list(names),
        position=np.ascontiguousarray(positions),
        velocity=empty if velocities is None else np.ascontiguousarray(velocities),
        effort=empty if efforts is None else np.ascontiguousarray(efforts),
    )
