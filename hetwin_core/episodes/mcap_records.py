"""Finds, unpacks and parses the records of an MCAP file."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple, TypeAlias

from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]

from hetwin_core.ensemble.limits import Decompressor, TooLarge, max_bytes, unpacked

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA, DATA_END = 0x03, 0x04, 0x05, 0x06, 0x0C, 0x0F
HEAD = struct.Struct("<BQ")
"""Head of each record: its kind, and its length without the head."""
_CHUNK_HEAD = struct.Struct("<QQQI")
_NUMBER = struct.Struct("<I")
_MIN_FILE_SIZE, _MIN_MEMORY_SIZE = 31, 400
"""Size of the smallest message in a file, and in memory [bytes]."""
COMPRESSIONS: Mapping[str, Callable[[], Decompressor] | None] = {
    "": None,
    "zstd": zstd.ZstdDecompressor,
    "lz4": LZ4FrameDecompressor,
}
"""Compressions of chunks, and their decompressors."""

Buffer: TypeAlias = bytes | memoryview


class Schema(NamedTuple):
    """A message type.

    Attributes:
        number: its number in the file.
        name: e.g. ``std_msgs/msg/String``.
        text: its definition.
    """

    number: int
    name: str
    text: str


class Channel(NamedTuple):
    """A topic.

    Attributes:
        number: its number in the file.
        schema: number of its type.
        topic: its name.
    """

    number: int
    schema: int
    topic: str


def each_record(data: Buffer) -> Iterator[tuple[int, int, int]]:
    """Iterate over all complete records: kind, start and end of the content."""
    at, size = 0, len(data)
    while at + HEAD.size <= size:
        kind, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > size:
            return
        yield kind, at, at + length
        at += length


def schema_of(record: Buffer) -> Schema:
    """Parse a schema's record."""
    (number,) = struct.unpack_from("<H", record)
    name, at = text_at(record, 2)
    _, at = text_at(record, at)
    text, _ = text_at(record, at)
    return Schema(number, name, text)


def channel_of(record: Buffer) -> Channel:
    """Parse a channel's record."""
    number, schema = struct.unpack_from("<HH", record)
    topic, _ = text_at(record, 4)
    return Channel(number, schema, topic)


def facts_of(record: Buffer) -> tuple[str, dict[str, str]]:
    """Parse a record of facts: its name and content.

    Raises:
        struct.error: if it is truncated.
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
    """Parse a text; return it and the offset of its end."""
    (length,) = _NUMBER.unpack_from(data, at)
    at += _NUMBER.size
    return bytes(data[at : at + length]).decode("utf-8", "replace"), at + length


def chunk_content(record: Buffer) -> Buffer:
    """Unpack the records of a chunk.

    Raises:
        TooLarge: if they exceed the limits.
        ValueError: if the chunk is damaged, or compressed otherwise than with zstd.
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
    """Unpack the records of a chunk with a compression of `COMPRESSIONS`.

    Args:
        compression: name of the compression.
        packed: the compressed bytes.
        size: the chunk's declared size [bytes].

    Raises:
        TooLarge: if the records exceed the declared size or the limits.
        Exception: of the library, if the chunk is damaged.
    """
    make = COMPRESSIONS[compression]
    raw = packed if make is None else unpacked(make, packed, size)
    max_messages = max_bytes() // _MIN_MEMORY_SIZE
    if len(raw) > max_messages * _MIN_FILE_SIZE and any(
        islice(each_record(raw), max_messages, None)
    ):
        raise TooLarge("the messages of a chunk take", max_bytes())
    return raw
