"""A log's file, read chunk by chunk; each reading continues where the last one ended."""

from __future__ import annotations

import os
import struct
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hetwin_core.ensemble.limits import check_size, check_total, regular
from hetwin_core.episodes.mcap_records import (
    CHANNEL,
    CHUNK,
    DATA_END,
    HEAD,
    MAGIC,
    MESSAGE,
    METADATA,
    SCHEMA,
    Buffer,
    Channel,
    Schema,
    channel_of,
    chunk_content,
    each_record,
    facts_of,
    schema_of,
)

_MESSAGE = struct.Struct("<HIQQ")


class Place(NamedTuple):
    """Location of a chunk's record in the file [bytes]."""

    at: int
    length: int


class Message(NamedTuple):
    """Location of a serialized message in its chunk, and its log time [ns]."""

    begin: int
    end: int
    time_ns: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """An unpacked chunk.

    Attributes:
        place: location in the file.
        data: its records.
        messages: messages by the number of their channel, in order.
    """

    place: Place
    data: Buffer
    messages: dict[int, list[Message]]

    def in_order(self) -> list[tuple[int, Message]]:
        """Return all messages with the numbers of their channels, in the order in which they were written."""
        found = ((number, row) for number, rows in self.messages.items() for row in rows)
        return sorted(found, key=lambda item: item[1])


@dataclass
class LogFile:
    """An MCAP file that is complete or grows.

    Attributes:
        path: path of the file.
        schemas: message types by number, from the part read so far.
        channels: topics by number, likewise.
        facts: content of its records of facts, by name.
        complete: whether its end was read.
        damage: the reason why reading stopped; empty if the file is intact.
    """

    path: Path
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    facts: dict[str, dict[str, str]] = field(default_factory=dict)
    complete: bool = False
    damage: str = ""
    _at: int = 0
    _unpacked: int = 0

    @property
    def read_to(self) -> int:
        """Number of bytes read so far."""
        return self._at

    def poll(self) -> Iterator[Chunk]:
        """Iterate over the chunks that have been added since the last call.

        Raises:
            OSError: if the file cannot be read, or holds more than the limits allow.
            ValueError: if this is no MCAP file.
        """
        if self.complete or self.damage:
            return
        with regular(self.path) as file:
            size = os.fstat(file.fileno()).st_size
            if self._at == 0 and not self._read_magic(file.read(len(MAGIC))):
                return
            while not self.complete and self._at + HEAD.size <= size:
                kind, length = HEAD.unpack(os.pread(file.fileno(), HEAD.size, self._at))
                place = Place(self._at + HEAD.size, length)
                if place.at + length > size:
                    return
                try:
                    chunk = self._process(kind, file.fileno(), place)
                except (ValueError, struct.error) as error:
                    self.damage = f"{error}, at byte {place.at}"
                    return
                self._at = place.at + length
                self.complete = kind == DATA_END
                if chunk is not None:
                    self._unpacked += len(chunk.data)
                    check_total(self._at, self._unpacked)
                    yield chunk

    def read(self, place: Place) -> Chunk:
        """Read a chunk again.

        Raises:
            OSError, ValueError: if the file has changed or disappeared.
        """
        with self.path.open("rb") as file:
            return unpack(os.pread(file.fileno(), place.length, place.at), place)

    def _read_magic(self, magic: bytes) -> bool:
        if magic and not MAGIC.startswith(magic):
            raise ValueError("this is not an MCAP file")
        if len(magic) == len(MAGIC):
            self._at = len(MAGIC)
        return self._at > 0

    def _process(self, kind: int, descriptor: int, place: Place) -> Chunk | None:
        """Process a record; return it if it is a chunk."""
        if kind not in (CHUNK, SCHEMA, CHANNEL, METADATA):
            return None
        record = os.pread(descriptor, check_size(place.length, "a part of it has"), place.at)
        if kind != CHUNK:
            self._register(kind, record)
            return None
        return unpack(record, place, self._register)

    def _register(self, kind: int, record: Buffer) -> None:
        if kind == SCHEMA:
            schema = schema_of(record)
            self.schemas[schema.number] = schema
        elif kind == CHANNEL:
            channel = channel_of(record)
            self.channels[channel.number] = channel
        elif kind == METADATA:
            name, facts = facts_of(record)
            self.facts.setdefault(name, {}).update(facts)


def unpack(
    record: bytes, place: Place, register: Callable[[int, Buffer], None] | None = None
) -> Chunk:
    """Unpack a chunk's record; `register` is called with the kind and content of records other than messages.

    Raises:
        ValueError: if it is damaged.
    """
    data = chunk_content(record)
    messages: dict[int, list[Message]] = defaultdict(list)
    for kind, begin, end in each_record(data):
        if kind == MESSAGE:
            channel, _, time_ns, _ = _MESSAGE.unpack_from(data, begin)
            messages[channel].append(Message(begin + _MESSAGE.size, end, time_ns))
        elif register is not None:
            register(kind, data[begin:end])
    return Chunk(place, data, dict(messages))
