"""The MCAP file of a log: its records, and how they are written."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]
from rosbags.interfaces import Connection
from rosbags.rosbag2 import CompressionMode
from rosbags.rosbag2.storage_mcap import McapWriter

from hetwin_core.ensemble.limits import Decompressor, TooLarge, largest, unpacked

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END = 0x03, 0x04, 0x05, 0x06, 0x0C, 0x0F
HEAD = struct.Struct("<BQ")
"""Before each record: its kind, and its length without these bytes."""
_CHUNK_HEAD = struct.Struct("<QQQI")
_NUMBER = struct.Struct("<I")
_LEAST, _IN_MEMORY = 31, 400
"""Bytes of the smallest message in a file, and in memory."""
COMPRESSIONS: Mapping[str, Callable[[], Decompressor] | None] = {
    "": None,
    "zstd": zstd.ZstdDecompressor,
    "lz4": LZ4FrameDecompressor,
}
"""How chunks are packed, and what unpacks them."""

Buffer: TypeAlias = bytes | memoryview


class Schema(NamedTuple):
    """A message type.

    Attributes:
        number: of it in the file.
        name: e.g. ``std_msgs/msg/String``.
        text: its definition.
    """

    number: int
    name: str
    text: str


class Channel(NamedTuple):
    """A topic.

    Attributes:
        number: of it in the file.
        schema: number of its type.
        topic: its name.
    """

    number: int
    schema: int
    topic: str


def records(data: Buffer) -> list[tuple[int, int, int]]:
    """Find the records, up to where the data breaks off: kind, begin and end of the content."""
    return list(each_record(data))


def each_record(data: Buffer) -> Iterator[tuple[int, int, int]]:
    """Iterate over what `records` returns."""
    at, size = 0, len(data)
    while at + HEAD.size <= size:
        kind, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > size:
            return
        yield kind, at, at + length
        at += length


def schema_of(record: Buffer) -> Schema:
    """Read a schema's record."""
    (number,) = struct.unpack_from("<H", record)
    name, at = text_at(record, 2)
    _, at = text_at(record, at)
    text, _ = text_at(record, at)
    return Schema(number, name, text)


def channel_of(record: Buffer) -> Channel:
    """Read a channel's record."""
    number, schema = struct.unpack_from("<HH", record)
    topic, _ = text_at(record, 4)
    return Channel(number, schema, topic)


def facts_of(record: Buffer) -> tuple[str, dict[str, str]]:
    """Read a record of facts: its name and what it says.

    Raises:
        struct.error: if it breaks off.
    """
    name, at = text_at(record, 0)
    (length,) = _NUMBER.unpack_from(record, at)
    at, end = at + _NUMBER.size, at + _NUMBER.size + length
    facts = {}
    while at < end:
        key, at = text_at(record, at)
        facts[key], at = text_at(record, at)
    return name, facts


def text_at(data: Buffer, at: int) -> tuple[str, int]:
    """Read a text; returns where it ends, too."""
    (length,) = _NUMBER.unpack_from(data, at)
    at += _NUMBER.size
    return bytes(data[at : at + length]).decode("utf-8", "replace"), at + length


def chunk_content(record: Buffer) -> Buffer:
    """Unpack the records of a chunk.

    Raises:
        TooLarge: if there are more of them than the limits allow.
        ValueError: if it is damaged, or packed otherwise than with zstd.
    """
    compression, at = text_at(record, _CHUNK_HEAD.size)
    size = _CHUNK_HEAD.unpack_from(record)[2]
    if compression not in ("", "zstd"):
        raise ValueError(f"a chunk is packed with {compression}; expected zstd")
    try:
        return unpack_records(compression, record[at + 8 :], size)
    except (EOFError, zstd.ZstdError) as error:
        raise ValueError(f"a chunk is damaged: {error}") from error


def unpack_records(compression: str, packed: Buffer, size: int) -> Buffer:
    """Unpack the records of a chunk that is packed in one of the ways in `COMPRESSIONS`.

    Args:
        compression: the way.
        packed: what is unpacked.
        size: that the chunk says to have unpacked [bytes].

    Raises:
        TooLarge: if there are more of them than it says, or than the limits allow.
        Exception: of the library, if it is damaged.
    """
    make = COMPRESSIONS[compression]
    raw = packed if make is None else unpacked(make, packed, size)
    most = largest() // _IN_MEMORY
    if len(raw) > most * _LEAST and any(islice(each_record(raw), most, None)):
        raise TooLarge("the messages of a chunk take", largest())
    return raw


_FASTEST = 1
"""Level of zstd; the default, 3, takes more than twice as long to save a hundredth of the space."""
_CHUNK = 2**20 - 2**16
"""Bytes of a chunk; less than the size at which the library closes one itself."""
_MESSAGE = struct.Struct("<BQHIQQ")
"""Beginning of a message's record: kind, size of the rest, channel, sequence (0: not used), log time, publish time."""
_KIND, _SIZE = 0x05, 22


class McapFile(McapWriter):
    """A file of chunks that are on the disk whole or not at all.

    The chunks are compressed with zstd, as rosbag2's own preset ``zstd_fast`` does.

    Args:
        path: folder of the file, which gets the folder's name.

    Raises:
        OSError: if it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, CompressionMode.STORAGE)
        compress: Any = self.compressor
        self.compressor = partial(compress, level=_FASTEST)
        self._whole = self.bio.tell()

    def write(self, connection: Connection, timestamp: int, data: bytes | memoryview) -> None:
        """Write a message in one piece, with the same bytes as the library's in a third of the time.

        Raises:
            OSError: if the disk cannot be written to.
        """
        place = self.chunk.bio.tell()
        if place > _CHUNK:
            self.end_chunk()
            place = 0
        chunk, channel = self.chunk, connection.id
        bio = chunk.bio
        if timestamp < chunk.message_start_time:
            chunk.message_start_time = timestamp
            self.message_start_time = min(timestamp, self.message_start_time)
        if timestamp > chunk.message_end_time:
            chunk.message_end_time = timestamp
            self.message_end_time = max(timestamp, self.message_end_time)
        self.channel_stats[channel] += 1
        chunk.msgs[channel].append((timestamp, place))
        start = _MESSAGE.pack(_KIND, _SIZE + len(data), channel, 0, timestamp, timestamp)
        bio.write(start)
        bio.write(data)

    def write_facts(self, name: str, facts: Mapping[str, str]) -> None:
        """Write a record of facts, between the chunks; see `mcap_records.facts_of`.

        Raises:
            OSError: if the disk cannot be written to.
        """
        self.end_chunk()
        pairs = b"".join(_text(part) for pair in facts.items() for part in pair)
        content = _text(name) + struct.pack("<I", len(pairs)) + pairs
        self.bio.write(struct.pack("<BQ", METADATA, len(content)) + content)
        self.bio.flush()
        self._whole = self.bio.tell()

    def end_chunk(self) -> None:
        """Write the open chunk.

        Raises:
            OSError: if the disk cannot be written to; the file ends with the last whole chunk, and nothing is lost.
        """
        if not self.chunk.bio.tell():
            return
        chunk, count = self.chunk, len(self.chunks)
        try:
            self.close_chunk()
            self.bio.flush()
        except OSError:
            self.chunk = chunk
            del self.chunks[count:]
            with suppress(OSError):
                self.bio.close()
            os.truncate(self.path, self._whole)
            self.bio = self.path.open("ab")
            raise
        self._whole = self.bio.tell()


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<I", len(data)) + data
