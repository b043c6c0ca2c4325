"""A rosbag2 recording, opened and validated; `rosbags` reads storage and compression."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.bag_files import check_storage_file
from model_nodes.main_physics.sources.bag_types import (
    decoder_for,
    own_fields,
    recorded_types,
    value_field_problem,
)

A_RECORDING = "a rosbag2 folder with metadata.yaml, or a single .mcap or .db3 file"


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """A topic of a recording."""

    name: str
    type: str
    messages: int

    def __str__(self) -> str:
        return f"{self.name} ({self.type})"


@dataclass(frozen=True, slots=True)
class ReadFault:
    """Why, and from which run time on, a recording cannot be read."""

    time_ns: int
    reason: str


class Bag:
    """An open recording; run time 0 is the earliest log time of any of its messages.

    Attributes:
        path: the file or folder.
        start_ns: log time of run time 0, in ns since the epoch.
        duration_ns: run time of the last message.
        topics: the recorded topics, by name.

    Raises:
        BadInput: if it is missing, not a recording, without readable index, or empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = _open(path)
        try:
            storages: list[Any] = getattr(self._reader.storage, "storages", [self._reader.storage])
            for storage in storages:
                check_storage_file(Path(storage.path), path)
            # A folder's metadata.yaml repeats the times and counts; those in the files are more reliable.
            filled = [s.metadata for s in storages if s.metadata.message_count]
            if not filled:
                raise BadInput(
                    "the recording is empty", file=path, found="no message", expected="messages"
                )
            self.start_ns = min(m.start_time for m in filled)
            self.duration_ns = max(m.end_time for m in filled) - 1 - self.start_ns
            self._stored: list[Connection] = [c for s in storages for c in s.connections]
        except BaseException:
            self._reader.close()
            raise

    @cached_property
    def topics(self) -> dict[str, TopicSummary]:
        """The recorded topics, by name."""
        found: dict[str, TopicSummary] = {}
        for connection in self._reader.connections:
            count = sum(c.msgcount for c in self._stored if c.topic == connection.topic)
            found[connection.topic] = TopicSummary(connection.topic, connection.msgtype, count)
        return dict(sorted(found.items()))

    def require(self, topic: str, where: str) -> TopicSummary:
        """Return the topic of this name.

        Raises:
            BadInput: if there is none; lists the recorded topics. `where` is the key that names it.
        """
        if topic in self.topics:
            return self.topics[topic]
        there = ", ".join(str(t) for t in self.topics.values()) or "no topic at all"
        raise BadInput(
            f"the recording has no topic {topic}",
            file=self.path,
            where=where,
            found=topic,
            expected=f"one of {there}",
        )

    def decoder(self, topic: str) -> Callable[[bytes], Any]:
        """Return the decoder of this topic's messages.

        Raises:
            BadInput: if the message type is unknown.
        """
        return decoder_for(self._connection(topic), self.path)

    def check_fields(self, topic: str, type_name: str, names: Sequence[str]) -> None:
        """Check that the recording's definition of `type_name` is the usual one.

        Raises:
            BadInput: if it has other fields.
        """
        if (found := own_fields(self._connection(topic), type_name)) not in (None, list(names)):
            raise BadInput(
                f"the recording defines {type_name} differently",
                file=self.path,
                where=topic,
                found=", ".join(found or ()),
                expected=", ".join(names),
            )

    def check_value_field(self, topic: str, field: str, where: str) -> None:
        """Check that a field of the topic's messages is an integer, a boolean or a string.

        Raises:
            BadInput: if there is no such field, or it is something else.
        """
        connection = self._connection(topic)
        problem = value_field_problem(recorded_types(connection, self.path), connection, field)
        if problem is not None:
            raise BadInput(
                f"{connection.msgtype} has no such value",
                file=self.path,
                where=where,
                found=field,
                expected=problem,
            )

    def _connection(self, topic: str) -> Connection:
        return next(c for c in self._reader.connections if c.topic == topic)

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, bytes] | ReadFault]:
        """Yield topic, run time of logging [ns] and payload, in the order of the log.

        If a part of the file cannot be read, the last item is a `ReadFault`.
        """
        chosen = [c for c in self._reader.connections if c.topic in topics]
        if not chosen:
            return
        last, count = -1, 0
        try:
            for connection, log_ns, raw in self._reader.messages(chosen):
                last, count = log_ns - self.start_ns, count + 1
                yield connection.topic, last, raw
        except Exception as error:
            yield ReadFault(last + 1, f"{self.path} cannot be read further: {error or type(error)}")
            return
        promised = sum(c.msgcount for c in self._stored if c.topic in topics)
        if count < promised:
            reason = f"{self.path} is damaged: its index lists {promised} messages of "
            yield ReadFault(
                self.duration_ns, f"{reason}{', '.join(topics)}, but it contains {count}"
            )

    def close(self) -> None:
        """Close the files."""
        if self._reader.is_open:
            self._reader.close()


def _open(path: Path) -> Reader:
    if not path.exists():
        raise BadInput("there is no such recording", file=path, expected=A_RECORDING)
    if path.is_dir() and not (path / "metadata.yaml").is_file():
        raise BadInput(
            "the folder is not a recording",
            file=path,
            found="no metadata.yaml",
            expected=A_RECORDING,
        )
    try:
        reader = Reader(path)
        reader.open()
    except Exception as error:
        raise BadInput(
            f"the recording cannot be opened ({error or type(error).__name__})",
            file=path,
            expected=f"{A_RECORDING}, complete and with its index",
        ) from error
    return reader
