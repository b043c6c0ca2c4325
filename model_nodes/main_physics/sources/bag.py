"""A recording, opened and validated: its topics, and its messages in the order of the log."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rosbags.interfaces import Connection

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import TooLarge
from hetwin_core.ensemble.scenario.recorded import Stamps
from model_nodes.main_physics.sources.bag_types import (
    JOINT_STATE,
    decoder_for,
    own_fields,
    recorded_types,
    value_field_problem,
)
from model_nodes.main_physics.sources.log_clock import LogClock, largest_span
from model_nodes.main_physics.sources.open_bag import open_storages

Int64s = NDArray[np.int64]

STAMP_TOLERANCE_NS = 1_000_000_000
"""Maximum difference between a header stamp and the log time; a stamp beyond it is from another clock and ignored."""


@dataclass(frozen=True, slots=True)
class TopicSummary:
    """A topic of a recording, its type, and its number of messages."""

    name: str
    type: str
    messages: int

    def __str__(self) -> str:
        return f"{self.name} ({self.type})"


class Publisher(NamedTuple):
    """A publisher on a topic; only bags of ROS 1 name the node."""

    topic: str
    node: str = ""

    def __str__(self) -> str:
        return f"{self.topic} of {self.node}" if self.node else self.topic


@dataclass(frozen=True, slots=True)
class ReadFault:
    """The reason why a recording cannot be read to its end, and the run time at which reading fails."""

    time_ns: int
    reason: str


class Bag:
    """An open recording; run time 0 is the earliest log time of any of its messages.

    Messages that were logged decades before or after the others, because the clock was not set, are left out.

    Args:
        path: the file or folder.
        stamps: the clock that defines the messages' times; None: stamps where they are near the log times, else the log
            times.

    Attributes:
        path: the file or folder.
        start_ns: log time of run time 0, in ns since the epoch; a stamp if stamps define the messages' times.
        duration_ns: run time of the last message.
        topics: the recorded topics, by name.
        tolerance_ns: maximum difference between a stamp that is used and its log time; negative: no stamp is used.
        left_out: topic -> number of its messages that are left out.
        left_out_at_s: log times of the first and the last message that is left out, in s since the epoch.

    Raises:
        BadInput: if it is missing, not a recording, without a readable index, or empty.
    """

    def __init__(self, path: Path, stamps: Stamps | None = None) -> None:
        self.path = path
        self.tolerance_ns = -1 if stamps is Stamps.LOG else STAMP_TOLERANCE_NS
        self.left_out: dict[str, int] = {}
        self.left_out_at_s = (0.0, 0.0)
        self._storages = open_storages(path)
        self._clock: LogClock | None = None
        try:
            spans = [s.span_ns for s in self._storages if s.span_ns is not None]
            if not spans:
                raise BadInput(
                    "the recording is empty", file=path, found="no message", expected="messages"
                )
            self._span = min(first for first, _ in spans), max(last for _, last in spans)
            self._stored = [c for storage in self._storages for c in storage.stored]
            self._leave_out()
            self.start_ns = self._span[0]
            self.duration_ns = self._span[1] - self.start_ns
            if stamps is Stamps.HEADER:
                self._date_by_stamps()
        except BaseException:
            self.close()
            raise

    @property
    def content(self) -> Hashable:
        """Identifies the files, by inode, size and time of change, and the clock, without reading messages."""
        files = sorted(self.path.iterdir()) if self.path.is_dir() else [self.path]
        states = [(s.st_ino, s.st_size, s.st_mtime_ns) for s in map(Path.stat, files)]
        return self.path, *states, self.start_ns, self.tolerance_ns

    @property
    def truncated(self) -> dict[str, float]:
        """Truncated files by name -> share of their bytes that cannot be used."""
        return {name: share for s in self._storages for name, share in s.truncated.items()}

    def _leave_out(self) -> None:
        """Find messages that were logged while the clock was not set; see `largest_span`."""
        if not LogClock.may_be_unset(*self._span):
            return
        logged = [entry for storage in self._storages for entry in storage.times()]
        if not logged or max(log_ns for _, log_ns in logged) >= 2**63:
            raise BadInput(
                "the times of the recording cannot be used",
                file=self.path,
                found="no message" if not logged else "one after the year 2262",
                expected="messages with times in ns since the epoch",
            )
        times = np.sort(np.array([log_ns for _, log_ns in logged], np.int64))
        first, last = self._span = largest_span(times)
        excluded = [entry for entry in logged if not first <= entry[1] <= last]
        for topic, _ in excluded:
            self.left_out[topic] = self.left_out.get(topic, 0) + 1
        if excluded:
            times_s = [log_ns / 1e9 for _, log_ns in excluded]
            self.left_out_at_s = min(times_s), max(times_s)

    def _date_by_stamps(self) -> None:
        """Derive run time from the stamps of joint states, which are simulated time if a simulation has published them.

        Raises:
            BadInput: if there are no stamps that increase.
        """
        topics = sorted(t for t in self.topics if JOINT_STATE in self.types(t))
        pairs = [m[1:] for m in self.published(topics) if not isinstance(m, ReadFault)]
        self._clock = LogClock.from_messages([(log_ns, raw) for log_ns, raw in pairs], self.path)
        self.start_ns = self._clock.begin_ns
        self.duration_ns = self._clock.at(self.duration_ns)

    @cached_property
    def topics(self) -> dict[str, TopicSummary]:
        """The recorded topics, by name."""
        found: dict[str, TopicSummary] = {}
        for connection in self._connections:
            count = sum(c.msgcount for c in self._stored if c.topic == connection.topic)
            count -= self.left_out.get(connection.topic, 0)
            found[connection.topic] = TopicSummary(connection.topic, connection.msgtype, count)
        return dict(sorted(found.items()))

    def types(self, topic: str) -> list[str]:
        """Return the types of a topic's messages; usually there is only one."""
        return sorted({c.msgtype for c in self._connections if c.topic == topic})

    @property
    def _connections(self) -> Iterator[Connection]:
        return (c for storage in self._storages for c in storage.connections)

    def require(self, topic: str, where: str) -> TopicSummary:
        """Return the topic of this name.

        Raises:
            BadInput: if there is none, or it has messages of several types; lists the recorded topics. `where` is the
                key in the scenario that names the topic.
        """
        if topic not in self.topics:
            raise BadInput(
                f"the recording has no topic {topic}",
                file=self.path,
                where=where,
                found=topic,
                expected=f"one of {list_topics(self.topics.values())}",
            )
        if len(types := self.types(topic)) > 1:
            raise BadInput(
                f"topic {topic} has messages of several types",
                file=self.path,
                where=where,
                found=", ".join(types),
                expected="a topic with one type",
            )
        return self.topics[topic]

    def decoder(self, topic: str) -> Callable[[bytes], Any]:
        """Return the decoder of this topic's messages.

        Raises:
            BadInput: if the message type is unknown.
        """
        return decoder_for(self._connection(topic), self.path)

    def can_read(self, topic: str, read: Callable[[Any], object]) -> bool:
        """Whether a topic has messages of one type, and a function can read the first one after decoding."""
        first = next(iter(self.messages([topic])), None)
        if len(self.types(topic)) > 1 or not isinstance(first, tuple):
            return False
        try:
            read(self.decoder(topic)(first[2]))
        except Exception:  # with an unsuitable definition the decoder may raise anything
            return False
        return True

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
            BadInput: if there is no such field, or it has another type.
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
        return next(c for c in self._connections if c.topic == topic)

    def messages(self, topics: Collection[str]) -> Iterator[tuple[str, int, bytes] | ReadFault]:
        """Yield topic, run time of logging [ns] and payload (CDR), in the order of the log.

        If a part of the file cannot be read, the last item is a `ReadFault`.
        """
        for message in self.published(topics):
            if isinstance(message, ReadFault):
                yield message
            else:
                publisher, log_ns, raw = message
                yield publisher.topic, log_ns, raw

    def published(
        self, topics: Collection[str]
    ) -> Iterator[tuple[Publisher, int, bytes] | ReadFault]:
        """Yield the same as `messages`, with the publisher instead of the topic."""
        chosen = [[c for c in s.connections if c.topic in topics] for s in self._storages]
        parts = [s.messages(c) for s, c in zip(self._storages, chosen, strict=True) if c]
        last, count = -1, 0
        first_ns, last_ns = self._span
        try:
            for connection, log_ns, raw in heapq.merge(*parts, key=_log_time):
                count += 1
                if first_ns <= log_ns <= last_ns:
                    last = log_ns - first_ns
                    yield publisher_of(connection), self._run_time(last), raw
        except Exception as error:
            yield self._fault(error, self._run_time(last) + 1)
            return
        indexed = sum(c.msgcount for c in self._stored if c.topic in topics)
        if count < indexed:
            reason = f"{self.path} is damaged: its index lists {indexed} messages of "
            yield ReadFault(
                self.duration_ns, f"{reason}{', '.join(topics)}, but it contains {count}"
            )

    def log_times(self) -> tuple[dict[str, Int64s], ReadFault | None]:
        """Return topic -> (n,) run times of logging [ns], increasing; and the fault if they are incomplete."""
        times: dict[str, list[int]] = {name: [] for name in self.topics}
        fault = None
        try:
            for storage in self._storages:
                for topic, log_ns in storage.times():
                    if self._span[0] <= log_ns <= self._span[1]:
                        times[topic].append(self._run_time(log_ns - self._span[0]))
        except Exception as error:
            last = max((found[-1] for found in times.values() if found), default=-1)
            fault = self._fault(error, last + 1)
        return {name: np.sort(np.array(found, np.int64)) for name, found in times.items()}, fault

    def _fault(self, error: Exception, time_ns: int) -> ReadFault:
        """Return the fault that ends the reading of the recording.

        Raises:
            BadInput: if the recording exceeds a size limit.
        """
        if isinstance(error, TooLarge):
            raise BadInput(f"the recording cannot be read: {error}", file=self.path) from error
        reason = f"{self.path} cannot be read further: {error or type(error).__name__}"
        return ReadFault(time_ns, reason)

    def _run_time(self, logged_ns: int) -> int:
        """Convert a log time, relative to the first one, to run time [ns]."""
        return logged_ns if self._clock is None else self._clock.at(logged_ns)

    def publishers(self, topic: str) -> list[Publisher]:
        """Return the known publishers on a topic."""
        return sorted({publisher_of(c) for c in self._connections if c.topic == topic})

    def close(self) -> None:
        """Close the files."""
        for storage in self._storages:
            storage.close()


def list_topics(topics: Collection[TopicSummary]) -> str:
    """List topics with their types, for errors."""
    return ", ".join(str(topic) for topic in topics) or "no topic at all"


def _log_time(message: tuple[Connection, int, bytes]) -> int:
    return message[1]


def publisher_of(connection: Connection) -> Publisher:
    """Return the publisher of a connection's messages."""
    return Publisher(connection.topic, getattr(connection.ext, "callerid", None) or "")
