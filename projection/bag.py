"""The bag that a run is logged to: rosbag2 in MCAP, written without ROS."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from rosbags.interfaces import (
    Connection,
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.rosbag2.storage_mcap import McapWriter

from hetwin_suite.ensemble.errors import BadInput, RunFailed
from hetwin_suite.projection.messages import typestore
from hetwin_suite.projection.topics import TOPICS, Topic

_FASTEST = 1
"""Level of zstd; the default, 3, takes more than twice as long to save a hundredth of the space."""
_FOREVER = QosTime(9223372036, 854775807)


def _qos(latched: bool) -> Qos:
    return Qos(
        history=QosHistory.KEEP_LAST,
        depth=1 if latched else 1000,
        reliability=QosReliability.RELIABLE,
        durability=QosDurability.TRANSIENT_LOCAL if latched else QosDurability.VOLATILE,
        deadline=_FOREVER,
        lifespan=_FOREVER,
        liveliness=QosLiveliness.AUTOMATIC,
        liveliness_lease_duration=_FOREVER,
        avoid_ros_namespace_conventions=False,
    )


class LogBag:
    """An open bag with all topics of a log.

    Definitions and hashes of all types are in the bag, so that any reader can decode it. The chunks are
    compressed with zstd, as rosbag2's own preset ``zstd_fast`` does.

    Args:
        path: folder of the bag; must not exist.

    Raises:
        BadInput: if the folder cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._writer = Writer(path, version=9, storage_plugin=StoragePlugin.MCAP)
        self._writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        try:
            self._writer.open()
        except OSError as error:
            raise BadInput(
                f"the log cannot be written: {error.strerror}",
                file=path,
                expected="a folder that can be written to",
            ) from error
        storage = self._writer.storage
        if isinstance(storage, McapWriter):
            compress: Any = storage.compressor
            storage.compressor = partial(compress, level=_FASTEST)
        store = typestore()
        self._connections: dict[str, Connection] = {
            topic.name: self._writer.add_connection(
                topic.name,
                topic.type,
                typestore=store,
                offered_qos_profiles=[_qos(topic.latched)],
            )
            for topic in TOPICS
        }
        self._open = True

    def describe(self, **facts: str) -> None:
        """Put facts about the run into the bag's metadata."""
        for key, value in facts.items():
            self._writer.set_custom_data(key, value)

    def write(self, topic: Topic, time_ns: int, message: object) -> None:
        """Serialize and write one message.

        Raises:
            RunFailed: if the disk refuses.
        """
        self.write_raw(topic, time_ns, typestore().serialize_cdr(message, topic.type))

    def write_raw(self, topic: Topic, time_ns: int, data: memoryview) -> None:
        """Write one serialized message.

        Raises:
            RunFailed: if the disk refuses.
        """
        try:
            self._writer.write(self._connections[topic.name], time_ns, data)
        except OSError as error:
            raise RunFailed(
                "log", "write", time_ns, f"{error.strerror}: {error.filename}"
            ) from error

    def flush(self) -> None:
        """Bring what was written to the disk, so that it outlives the process.

        Raises:
            RunFailed: if the disk refuses.
        """
        storage = self._writer.storage
        if isinstance(storage, McapWriter):
            try:
                storage.close_chunk()
                storage.bio.flush()
            except OSError as error:
                raise RunFailed("log", "flush", 0, str(error)) from error

    def close(self) -> None:
        """Finish the files; a second call does nothing.

        Raises:
            RunFailed: if the disk refuses; what was written before can still be salvaged.
        """
        if not self._open:
            return
        self._open = False
        try:
            self._writer.close()
        except OSError as error:
            with suppress(OSError):
                self._writer.abort()
            raise RunFailed("log", "close", 0, str(error)) from error
