"""Reads truncated files, such as those of a recorder that was killed, as far as they are intact.

Complete files are read as by the library's readers, which are the base classes.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Mapping
from functools import partial
from heapq import merge
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.reader import DirectoryReader
from rosbags.rosbag2.storage_mcap import DECOMPRESSORS, ChunkInfo, McapReader, decompress

from hetwin_core.ensemble.limits import TooLarge, check_regular, check_size, check_total, max_bytes
from hetwin_core.episodes.mcap_records import (
    CHANNEL,
    CHUNK,
    COMPRESSIONS,
    DATA_END,
    HEAD,
    MAGIC,
    MESSAGE,
    SCHEMA,
    unpack_records,
)
from model_nodes.main_physics.sources.truncated_sqlite import TruncatedSqliteReader

# The library decompresses chunks of any size; its readers look up the functions for it here.
_BOUNDED: dict[str, Any] = {name: partial(unpack_records, name) for name in COMPRESSIONS}
DECOMPRESSORS.update(_BOUNDED)

_HEADER, _FOOTER = 0x01, 0x02
_KINDS = range(_HEADER, DATA_END + 1)
_TIMES = struct.Struct("<QQQI")


class TruncatedMcapReader(McapReader):
    """An MCAP file; one without an index is read up to the last intact record.

    Attributes:
        lost: share of the bytes that cannot be used; None: the file is complete.
    """

    lost: float | None = None

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self._last_chunk: McapReader | None = None

    def open(self) -> None:
        """Open the file."""
        check_regular(Path(str(self.path)))
        super().open()

    def _open(self) -> None:
        self._find_chunks()
        for chunk in self.chunks:
            check_size(chunk.uncompressed_size, "a chunk unpacks to")
            check_size(chunk.compressed_size, "a chunk has")
        assert self.bio is not None
        check_total(self.bio.seek(0, 2), sum(chunk.uncompressed_size for chunk in self.chunks))

    def _find_chunks(self) -> None:
        try:
            super()._open()
            if self.chunks or self.statistics is None or not self.statistics.message_count:
                return
        except (ReaderError, ValueError, struct.error, TypeError, OSError, LookupError) as error:
            if "Profile" in str(error) or isinstance(error, TooLarge):
                raise
        self._scan()

    def _scan(self) -> None:
        """Find the intact part of the file, and create the missing index."""
        assert self.bio is not None
        self._clear()
        size = self.bio.seek(0, 2)
        self.bio.seek(0)
        if self.bio.read(len(MAGIC)) != MAGIC:
            raise ReaderError("File magic is invalid.")
        self.data_start = self.data_end = self.bio.tell()
        chunks: list[ChunkInfo] = []
        closed, last_chunk = False, b""
        for kind, begin, length in _records(self.bio, size):
            if kind == CHUNK:
                chunk = _chunk_info(self.bio, begin, length)
                if chunk is None:
                    break
                chunks.append(chunk)
            if kind in (DATA_END, _FOOTER):
                closed = True
                break
            self.data_end = begin + length
            if kind == _HEADER:
                self.data_start = self.data_end
        else:
            last_chunk = _records_of_last_chunk(self.bio, self.data_end)
        self.meta_scan()
        self._read_last_chunk(last_chunk)
        assert self.statistics is not None
        if not self.statistics.message_count:
            raise ReaderError("not one message of the file is whole")
        everything = {connection.id: 1 for connection in self.connections}
        self.chunks.extend(chunk._replace(channel_count=everything) for chunk in chunks)
        self.lost = None if closed else max(1.0 - (self.data_end + len(last_chunk)) / size, 0.0)
        self._update_counts()

    def _read_last_chunk(self, records: bytes) -> None:
        """Read the records of the last chunk, which is truncated."""
        previous = self.statistics
        if not records or previous is None:
            return
        self._last_chunk = reader = McapReader(self.path)
        reader.bio, reader.data_end = BytesIO(records), len(records)
        reader.schemas, reader.channels = self.schemas, self.channels
        reader.connections = self.connections
        reader.meta_scan()
        assert reader.statistics is not None
        added = reader.statistics
        counts = Counter(previous.channel_message_counts) + Counter(added.channel_message_counts)
        self.statistics = previous._replace(
            message_count=previous.message_count + added.message_count,
            start_time=min(previous.start_time, added.start_time),
            end_time=max(previous.end_time, added.end_time),
            channel_message_counts=dict(counts),
        )

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Yield connection, log time and payload of the messages of some connections."""
        parts = [super().messages(connections, start, stop)]
        if self._last_chunk is not None:
            parts.append(self._last_chunk.messages_scan(connections, start, stop))
        scanned = [iter(sorted(part, key=_log_time)) for part in parts[1:]]
        yield from merge(parts[0], *scanned, key=_log_time) if scanned else parts[0]

    def _clear(self) -> None:
        for found in (self.schemas, self.channels, self.chunks, self.connections):
            found.clear()
        self.statistics = None

    def _update_counts(self) -> None:
        statistics = self.statistics
        assert statistics is not None
        counts = statistics.channel_message_counts
        self.connections = [c._replace(msgcount=counts.get(c.id, 0)) for c in self.connections]
        self.metadata = self.metadata._replace(
            duration=statistics.end_time - statistics.start_time + 1,
            start_time=statistics.start_time,
            end_time=statistics.end_time + 1,
            message_count=statistics.message_count,
        )


def _records(file: BinaryIO, size: int) -> Iterator[tuple[int, int, int]]:
    """Yield kind, begin and length of each intact record from the current position on."""
    position = file.tell()
    while position + HEAD.size <= size:
        file.seek(position)
        kind, length = HEAD.unpack(file.read(HEAD.size))
        position += HEAD.size
        if kind not in _KINDS or position + length > size:
            return
        yield kind, position, length
        position += length


def _log_time(message: tuple[Connection, int, bytes]) -> int:
    return message[1]


def _records_of_last_chunk(file: BinaryIO, begin: int) -> bytes:
    """Return the intact records of a truncated chunk at a position; empty if there is no chunk."""
    file.seek(begin)
    content = file.read(max_bytes())
    position = HEAD.size + _TIMES.size + 4
    if len(content) < position or content[0] != CHUNK:
        return b""
    (name_length,) = struct.unpack_from("<I", content, position - 4)
    compressed = content[position + name_length + 8 :]
    try:
        make = COMPRESSIONS[content[position : position + name_length].decode()]
        raw = (
            compressed
            if make is None
            else bytes(make().decompress(compressed, max_length=max_bytes()))
        )
    except Exception:  # damaged, or compressed in an unknown format
        return b""
    return raw[: sum(HEAD.size + size for _, size in _records_inside(raw))]


def _chunk_info(file: BinaryIO, begin: int, length: int) -> ChunkInfo | None:
    """Return the index entry for a chunk; None if it is damaged."""
    file.seek(begin)
    content = file.read(check_size(length, "a chunk has"))
    try:
        first, last, unpacked, checksum = _TIMES.unpack_from(content)
        (name_length,) = struct.unpack_from("<I", content, _TIMES.size)
        position = _TIMES.size + 4 + name_length
        compression = content[position - name_length : position].decode()
        (packed,) = struct.unpack_from("<Q", content, position)
        raw = decompress(
            content[position + 8 : position + 8 + packed], compression, unpacked, checksum
        )
        inner = list(_records_inside(raw))
    except TooLarge:
        raise
    except Exception:  # on damage each library raises exceptions of its own
        return None
    if sum(HEAD.size + size for _, size in inner) != len(raw):
        return None
    begin -= HEAD.size
    return ChunkInfo(
        first, last, begin, HEAD.size + length, {}, 0, compression, packed, unpacked, {}
    )


def _records_inside(raw: bytes) -> Iterator[tuple[int, int]]:
    position = 0
    while position + HEAD.size <= len(raw):
        kind, length = HEAD.unpack_from(raw, position)
        if kind not in (SCHEMA, CHANNEL, MESSAGE) or position + HEAD.size + length > len(raw):
            return
        yield kind, length
        position += HEAD.size + length


class _Folder(DirectoryReader):
    """A folder with metadata.yaml, whose files may be truncated."""

    STORAGE_PLUGINS: Mapping[str, Any] = {
        "mcap": TruncatedMcapReader,
        "sqlite3": TruncatedSqliteReader,
    }


class TolerantReader(Reader):
    """Opens a folder or a file as the library does, including truncated files."""

    STORAGE_PLUGINS: Mapping[str, Any] = {
        "dir": _Folder,
        ".mcap": TruncatedMcapReader,
        ".db3": TruncatedSqliteReader,
    }

    @property
    def parts(self) -> list[Any]:
        """The readers of the single files."""
        return getattr(self.storage, "storages", [self.storage])
