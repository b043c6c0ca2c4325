"""Reads the messages of a log by the log's own definitions, and its states chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rosbags.typesys import get_types_from_msg

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.topics import STATE
from hetwin_core.episodes.following.log_file import Chunk, LogFile, Message, Place
from hetwin_core.episodes.mcap_records import Buffer, Channel, Schema
from hetwin_core.episodes.messages import LazyTypestore, definition, nanoseconds, typestore


class Definitions:
    """Reads messages of a log's types.

    Args:
        file: the log's file; the types are those known at the time of reading.
    """

    def __init__(self, file: LogFile) -> None:
        self.file = file
        self._types: dict[str, _LogType] = {}

    def is_ours(self, typename: str) -> bool:
        """Whether the log's definition of a type equals that of this version."""
        return self._type(typename).is_ours

    def read(self, typename: str, data: Buffer) -> Any:
        """Deserialize a message.

        Raises:
            KeyError: if the log does not define the type.
            Exception: of any type, if the message does not match its definition.
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
        """Iterate over a chunk's serialized messages of a topic."""
        return (bytes(chunk.data[row.begin : row.end]) for _, row in self.rows(chunk, topic))

    def rows(self, chunk: Chunk, topic: str) -> Iterator[tuple[Channel, Message]]:
        """Iterate over the locations of a chunk's messages of a topic."""
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
    """A type as defined in the log."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    @cached_property
    def _defined(self) -> Any:
        return get_types_from_msg(self._schema.text, self._schema.name)

    @cached_property
    def is_ours(self) -> bool:
        ours = typestore().fielddefs
        if self._schema.name in ours and self._schema.text == definition(self._schema.name):
            return True
        return all(name in ours and ours[name][1] == d[1] for name, d in self._defined.items())

    @cached_property
    def store(self) -> LazyTypestore:
        if self.is_ours:
            return typestore()
        store = LazyTypestore()
        store.register(self._defined)
        return store


_CDR_HEADER = 4
_LITTLE_ENDIAN = 1


class States(NamedTuple):
    """Consecutive states.

    Attributes:
        times: (n,) [ns].
        values: (n, layout.size) as `Snapshot.values`.
        owners: (n, slots) as `Snapshot.owners`.
        parents: (n, slots) as `Snapshot.parents`.
        proximity: (m, 12) rows as `Snapshot.proximity`, of all states.
        of_state: (m,) index of each row's state.
    """

    times: NDArray[np.int64]
    values: Floats
    owners: Ints
    parents: Ints
    proximity: Floats
    of_state: NDArray[np.int64]

    def near(self, number: int) -> Floats:
        """Return the (k, 12) proximity rows of one of the states."""
        begin, end = np.searchsorted(self.of_state, (number, number + 1))
        return self.proximity[begin:end]

    def between(self, first: int, end: int) -> States:
        """Return the states from index `first` to before index `end`."""
        rows = slice(*np.searchsorted(self.of_state, (first, end)))
        return States(
            self.times[first:end],
            self.values[first:end],
            self.owners[first:end],
            self.parents[first:end],
            self.proximity[rows],
            self.of_state[rows] - first,
        )


def joined(parts: Iterable[States], count: int) -> States:
    """Concatenate states; each part is released after it was copied.

    Args:
        parts: at least one.
        count: total number of states, at least one.

    Raises:
        ValueError: if there are more.
    """
    columns_of_all: list[NDArray[Any]] = []
    near, of_state, at = list[Floats](), list[NDArray[np.int64]](), 0
    for part in parts:
        columns = part[:4]
        columns_of_all = columns_of_all or [
            np.empty((count, *c.shape[1:]), c.dtype) for c in columns
        ]
        end = at + len(part.times)
        for column, values_of_part in zip(columns_of_all, columns, strict=True):
            column[at:end] = values_of_part
        near.append(part.proximity)
        of_state.append(part.of_state + at)
        at = end
    times, values, owners, parents = columns_of_all
    rows, numbers = np.concatenate(near), np.concatenate(of_state)
    return States(times, values, owners, parents, rows, numbers)


class StateReader:
    """Decodes the states of a log.

    The offsets of their numbers follow from the layout alone. The numbers are copied, because views would keep
    whole chunks in memory. States of a log with another definition of the message are deserialized by that, slowly.

    Args:
        layout: layout of the scene.
        file: the log.
        definitions: the log's types.
    """

    def __init__(self, layout: Layout, file: LogFile, definitions: Definitions) -> None:
        self._size, self._slots = layout.size, len(layout.slots)
        self._file = file
        self._definitions = definitions
        at = _Cursor(16)
        values, owners, parents = (
            at.array(self._size, 8),
            at.array(self._slots, 4),
            at.array(self._slots, 4),
        )
        slots = ("<i4", (self._slots,))
        self._head = np.dtype(
            {
                "names": ("sec", "nanosec", "values", "owners", "parents", "numbers"),
                "formats": ("<i4", "<u4", ("<f8", (self._size,)), slots, slots, "<u4"),
                "offsets": (0, 4, values, owners, parents, at.at),
                "itemsize": at.at + 4,
            }
        )
        self._near = at.array(1, 8)

    def read(self, chunk: Chunk) -> States | None:
        """Decode all states of a chunk; None if it has none.

        Raises:
            Exception: of any type, if one does not match its definition.
        """
        rows = [row for _, row in self._definitions.rows(chunk, STATE.logged_name)]
        if not rows:
            return None
        if (
            self._definitions.is_ours(STATE.type)
            and chunk.data[rows[0].begin + 1] == _LITTLE_ENDIAN
        ):
            return self._decode(chunk.data, rows)
        return self._read_slowly(chunk)

    def reread(self, place: Place) -> States:
        """Read the states of a chunk again.

        Raises:
            OSError, ValueError: if the file has changed or disappeared.
        """
        found = self.read(self._file.read(place))
        if found is None:
            raise ValueError(f"{self._file.path}: the log has changed since it was read")
        return found

    def _decode(self, data: Buffer, rows: list[Message]) -> States:
        starts = [row.begin + _CDR_HEADER for row in rows]
        size, near = self._head.itemsize, self._near
        heads = np.frombuffer(b"".join([data[at : at + size] for at in starts]), self._head)
        numbers = heads["numbers"]
        pairs, rest = np.divmod(numbers, PROXIMITY_COLUMNS)
        if rest.any():
            raise ValueError(f"proximity has no multiple of {PROXIMITY_COLUMNS} numbers")
        ends = zip(starts, (near + 8 * numbers).tolist(), strict=True)
        found = b"".join([data[at + near : at + end] for at, end in ends])
        proximity = np.frombuffer(found, "<f8", int(numbers.sum()))
        return States(
            heads["sec"] * np.int64(1_000_000_000) + heads["nanosec"],
            heads["values"].copy(),
            heads["owners"].copy(),
            heads["parents"].copy(),
            proximity.reshape(-1, PROXIMITY_COLUMNS),
            np.repeat(np.arange(len(rows)), pairs),
        )

    def _read_slowly(self, chunk: Chunk) -> States:
        found = self._definitions.messages(chunk, STATE.logged_name)
        near = [np.reshape(state.proximity, (-1, PROXIMITY_COLUMNS)) for state in found]
        return States(
            np.array([nanoseconds(state.stamp) for state in found], np.int64),
            np.stack([state.values for state in found]).reshape(len(found), self._size),
            np.stack([state.owners for state in found]).reshape(len(found), self._slots),
            np.stack([state.parents for state in found]).reshape(len(found), self._slots),
            np.concatenate(near),
            np.repeat(np.arange(len(found)), [len(rows) for rows in near]),
        )


class _Cursor:
    """Computes the offsets of sequences in a CDR message, counted from the end of its header."""

    def __init__(self, at: int) -> None:
        self.at = at

    def array(self, count: int, size: int) -> int:
        """Skip a sequence of numbers of this size [bytes]; return the offset of its first number."""
        start = self.at + -self.at % 4 + 4
        if count:
            start += -start % size
        self.at = start + count * size
        return start
