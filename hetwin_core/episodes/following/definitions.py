"""The messages of a log, read by the definitions that the log itself holds."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from rosbags.typesys import get_types_from_msg

from hetwin_core.episodes.following.log_file import Chunk, LogFile, Message
from hetwin_core.episodes.lazy_typestore import LazyTypestore
from hetwin_core.episodes.mcap_records import Buffer, Channel, Schema
from hetwin_core.episodes.messages import typestore


class Definitions:
    """Reads messages of a log's types.

    Args:
        file: of the log; the types are those that it has when a message is read.
    """

    def __init__(self, file: LogFile) -> None:
        self.file = file
        self._types: dict[str, _LogType] = {}

    def is_ours(self, typename: str) -> bool:
        """Whether the log's definition of a type is that of this version."""
        return self._type(typename).is_ours

    def read(self, typename: str, data: Buffer) -> Any:
        """Read a serialized message.

        Raises:
            KeyError: if the log does not define the type.
            Exception: of many kinds, if the message does not fit its definition.
        """
        return self._type(typename).store.deserialize_cdr(data, typename)

    def messages(self, chunk: Chunk, topic: str) -> list[Any]:
        """Read a chunk's messages of a topic.

        Raises:
            Exception: as `read`.
        """
        return [
            self.read(self.file.schemas[channel.schema].name, chunk.data[row.begin : row.end])
            for channel, row in self.rows(chunk, topic)
        ]

    def serialized(self, chunk: Chunk, topic: str) -> Iterator[bytes]:
        """Iterate over a chunk's messages of a topic as they are."""
        return (bytes(chunk.data[row.begin : row.end]) for _, row in self.rows(chunk, topic))

    def rows(self, chunk: Chunk, topic: str) -> Iterator[tuple[Channel, Message]]:
        """Iterate over where a chunk holds messages of a topic."""
        for channel in self.file.channels.values():
            if channel.topic == topic:
                for row in chunk.messages.get(channel.number, ()):
                    yield channel, row

    def _type(self, typename: str) -> _LogType:
        if typename not in self._types:
            schemas = {schema.name: schema for schema in self.file.schemas.values()}
            self._types[typename] = _LogType(schemas[typename])
        return self._types[typename]


class _LogType:
    """A type as the log defines it."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    @cached_property
    def _defined(self) -> Any:
        return get_types_from_msg(self._schema.text, self._schema.name)

    @cached_property
    def is_ours(self) -> bool:
        ours = typestore().fielddefs
        return all(name in ours and ours[name][1] == d[1] for name, d in self._defined.items())

    @cached_property
    def store(self) -> LazyTypestore:
        if self.is_ours:
            return typestore()
        store = LazyTypestore()
        store.register(self._defined)
        return store
