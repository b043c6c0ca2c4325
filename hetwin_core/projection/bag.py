"""The bag that a run is logged to: rosbag2 in MCAP, written without ROS."""

from __future__ import annotations

import os
import shutil
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

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.topics import LOGGED, Topic
from hetwin_core.projection.messages import typestore

_FASTEST = 1
"""Level of zstd; the default, 3, takes more than twice as long to save a hundredth of the space."""
CHUNK = 2**20 - 2**16
"""Bytes of a chunk; less than the size at which the writer closes one itself."""
ROOM = ".room_for_the_end"
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

    A file beside the bag reserves space on the disk, so that the bag can be finished when the disk is full.

    Args:
        path: folder of the bag; must not exist.
        room: bytes to reserve.

    Raises:
        BadInput: if the folder cannot be made, or the disk is nearly full.
    """

    def __init__(self, path: Path, *, room: int = 0) -> None:
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
        self._room = path.with_name(ROOM)
        self._keep_room(room)
        storage = self._writer.storage
        if isinstance(storage, McapWriter):
            compress: Any = storage.compressor
            storage.compressor = partial(compress, level=_FASTEST)
        store = typestore()
        self._connections: dict[str, Connection] = {
            topic.name: self._writer.add_connection(
                topic.logged_name,
                topic.type,
                typestore=store,
                offered_qos_profiles=[_qos(topic.latched)],
            )
            for topic in LOGGED
        }
        self._whole = storage.bio.tell() if isinstance(storage, McapWriter) else 0
        self._open = True

    def _keep_room(self, size: int) -> None:
        if not size:
            return
        try:
            with self._room.open("xb") as file:
                os.posix_fallocate(file.fileno(), 0, size)
        except OSError as error:
            self._writer.close()
            shutil.rmtree(self._room.with_name(self._writer.path.name), ignore_errors=True)
            self._room.unlink(missing_ok=True)
            raise BadInput(
                f"there is no room for a log: {error.strerror}",
                file=self._room.parent,
                expected=f"at least {size // 2**20} MiB on the disk",
            ) from error

    def describe(self, **facts: str) -> None:
        """Write facts about the run to the bag's metadata."""
        for key, value in facts.items():
            self._writer.set_custom_data(key, value)

    def write(self, topic: Topic, time_ns: int, message: object) -> None:
        """Serialize and write one message.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        self.write_raw(topic, time_ns, typestore().serialize_cdr(message, topic.type))

    def write_raw(self, topic: Topic, time_ns: int, data: memoryview) -> None:
        """Write one serialized message.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        storage = self._writer.storage
        full = isinstance(storage, McapWriter) and storage.chunk.bio.tell() > CHUNK
        try:
            if full:
                self._close_chunk()
            self._writer.write(self._connections[topic.name], time_ns, data)
        except OSError as error:
            raise RunFailed("log", "write", time_ns, self._reason(error)) from error

    def flush(self, time_ns: int) -> None:
        """Write everything so far to the disk, so that it outlives the process.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        try:
            self._close_chunk()
        except OSError as error:
            raise RunFailed("log", "flush", time_ns, self._reason(error)) from error

    def _close_chunk(self) -> None:
        """Write the open chunk; whole, or not at all.

        Raises:
            OSError: if the disk cannot be written to; the file ends with the last whole chunk, and nothing is lost.
        """
        storage = self._writer.storage
        if not isinstance(storage, McapWriter) or not storage.chunk.bio.tell():
            return
        chunk, count = storage.chunk, len(storage.chunks)
        try:
            storage.close_chunk()
            storage.bio.flush()
        except OSError:
            storage.chunk = chunk
            del storage.chunks[count:]
            with suppress(OSError):
                storage.bio.close()
            os.truncate(storage.path, self._whole)
            storage.bio = storage.path.open("ab")
            raise
        self._whole = storage.bio.tell()

    def _reason(self, error: OSError) -> str:
        return f"{error.strerror}: {self._writer.path}"

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
            self._close_chunk()
            self._writer.close()
        except OSError as error:
            with suppress(OSError):
                self._writer.abort()
            raise RunFailed("log", "close", 0, self._reason(error)) from error
