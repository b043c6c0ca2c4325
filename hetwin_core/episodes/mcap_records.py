"""The records of an MCAP file, and its chunks unpacked."""

from __future__ import annotations

import struct
import sys
from typing import NamedTuple, TypeAlias

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
    found, at, size = list[tuple[int, int, int]](), 0, len(data)
    while at + HEAD.size <= size:
        kind, length = HEAD.unpack_from(data, at)
        at += HEAD.size
        if at + length > size:
            break
        found.append((kind, at, at + length))
        at += length
    return found


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
        ValueError: if it is damaged, or packed otherwise than with zstd.
    """
    compression, at = text_at(record, _CHUNK_HEAD.size)
    content = record[at + 8 :]
    if compression == "":
        return content
    if compression != "zstd":
        raise ValueError(f"a chunk is packed with {compression}; expected zstd")
    try:
        return zstd.decompress(content)
    except zstd.ZstdError as error:
        raise ValueError(f"a chunk is damaged: {error}") from error
