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

from hetwin_core.ensemble.limits import TooLarge, check_regular, check_size, check_total, largest
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
from model_nodes.main_physics.sources.whole_rows import SqliteOfWholeRows

# The library decompresses chunks of any size; its readers look up the functions for it here.
_BOUNDED: dict[str, Any] = {name: partial(unpack_records, name) for name in COMPRESSIONS}
DECOMPRESSORS.update(_BOUNDED)

_HEADER, _FOOTER = 0x01, 0x02
_KINDS = range(_HEADER, DATA_END + 1)
_TIMES = struct.Struct("<QQQI")


class McapOfWholeRecords(McapReader):
    """An MCAP file; one without an index is read up to the last intact record.

    Attributes:
        lost: share of the bytes that cannot be used; None: the file is complete.
    """

    lost: float | None = None

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self._rest: McapReader | None = None

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
        self._forget()
        size = self.bio.seek(0, 2)
        self.bio.seek(0)
        if self.bio.read(len(MAGIC)) != MAGIC:
            raise ReaderError("File magic is invalid.")
        self.data_start = self.data_end = self.bio.tell()
        chunks: list[ChunkInfo] = []
        closed, rest = False, b""
        for kind, begin, length in _records(self.bio, size):
            if kind == CHUNK:
                chunk = _whole_chunk(self.bio, begin, length)
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
            rest = _records_of_last_chunk(self.bio, self.data_end)
        self.meta_scan()
        self._read_rest(rest)
        assert self.statistics is not None
        if not self.statistics.message_count:
            raise ReaderError("not one message of the file is whole")
        everything = {connection.id: 1 for connection in self.connections}
        self.chunks.extend(chunk._replace(channel_count=everything) for chunk in chunks)
        self.lost = None if closed else max(1.0 - (self.data_end + len(rest)) / size, 0.0)
        self._count()

    def _read_rest(self, rest: bytes) -> None:
        """Read the records of the last chunk, which is truncated."""
        before = self.statistics
        if not rest or before is None:
            return
        self._rest = other = McapReader(self.path)
        other.bio, other.data_end = BytesIO(rest), len(rest)
        other.schemas, other.channels = self.schemas, self.channels
        other.connections = self.connections
        other.meta_scan()
        assert other.statistics is not None
        more = other.statistics
        counts = Counter(before.channel_message_counts) + Counter(more.channel_message_counts)
        self.statistics = before._replace(
            message_count=before.message_count + more.message_count,
            start_time=min(before.start_time, more.start_time),
            end_time=max(before.end_time, more.end_time),
            channel_message_counts=dict(counts),
        )

    def messages(
        self, connections: Collection[Connection], start: int | None = None, stop: int | None = None
    ) -> Generator[tuple[Connection, int, bytes], None, None]:
        """Yield connection, log time and payload of the messages of some connections."""
        parts = [super().messages(connections, start, stop)]
        if self._rest is not None:
            parts.append(self._rest.messages_scan(connections, start, stop))
        rest = [iter(sorted(part, key=_log_time)) for part in parts[1:]]
        yield from merge(parts[0], *rest, key=_log_time) if rest else parts[0]

    def _forget(self) -> None:
        for found in (self.schemas, self.channels, self.chunks, self.connections):
            found.clear()
        self.statistics = None

    def _count(self) -> None:
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
    at = file.tell()
    while at + HEAD.size <= size:
        file.seek(at)
        kind, length = HEAD.unpack(file.read(HEAD.size))
        at += HEAD.size
        if kind not in _KINDS or at + length > size:
            return
        yield kind, at, length
        at += length


def _log_time(message: tuple[Connection, int, bytes]) -> int:
    return message[1]


def _records_of_last_chunk(file: BinaryIO, begin: int) -> bytes:
    """Return the intact records of a truncated chunk at a position; empty if there is no chunk."""
    file.seek(begin)
    content = file.read(largest())
    at = HEAD.size + _TIMES.size + 4
    if len(content) < at or content[0] != CHUNK:
        return b""
    (text,) = struct.unpack_from("<I", content, at - 4)
    packed = content[at + text + 8 :]
    try:
        make = COMPRESSIONS[content[at : at + text].decode()]
        raw = packed if make is None else bytes(make().decompress(packed, max_length=largest()))
    except Exception:  # damaged, or compressed in an unknown format
        return b""
    return raw[: sum(HEAD.size + size for _, size in _inner(raw))]


def _whole_chunk(file: BinaryIO, begin: int, length: int) -> ChunkInfo | None:
    """Return the index entry for a chunk; None if it is damaged."""
    file.seek(begin)
    content = file.read(check_size(length, "a chunk has"))
    try:
        first, last, unpacked, checksum = _TIMES.unpack_from(content)
        (text,) = struct.unpack_from("<I", content, _TIMES.size)
        at = _TIMES.size + 4 + text
        compression = content[at - text : at].decode()
        (packed,) = struct.unpack_from("<Q", content, at)
        raw = decompress(content[at + 8 : at + 8 + packed], compression, unpacked, checksum)
        inner = list(_inner(raw))
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


def _inner(raw: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + HEAD.size <= len(raw):
        kind, length = HEAD.unpack_from(raw, at)
        if kind not in (SCHEMA, CHANNEL, MESSAGE) or at + HEAD.size + length > len(raw):
            return
        yield kind, length
        at += HEAD.size + length


class _Folder(DirectoryReader):
    """A folder with metadata.yaml, whose files may be truncated."""

    STORAGE_PLUGINS: Mapping[str, Any] = {
        "mcap": McapOfWholeRecords,
        "sqlite3": SqliteOfWholeRows,
    }


class WholeReader(Reader):
    """Opens a folder or a file as the library does, including truncated files."""

    STORAGE_PLUGINS: Mapping[str, Any] = {
        "dir": _Folder,
        ".mcap": McapOfWholeRecords,
        ".db3": SqliteOfWholeRows,
    }

    @property
    def parts(self) -> list[Any]:
        """The readers of the single files."""
        return getattr(self.storage, "storages", [self.storage])
