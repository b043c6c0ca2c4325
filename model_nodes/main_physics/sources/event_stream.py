"""Events of a recording in chronological order, read on demand."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from hetwin_core.ensemble.clock import FAR_FUTURE_NS
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from model_nodes.main_physics.sources.bag import STAMP_TOLERANCE_NS, Bag, ReadFault

EventReader: TypeAlias = Callable[[Any, int], list[Event]]
"""Converts a message and its run time to events; raises `ValueError` if the message is invalid."""

AHEAD_NS = 500_000_000
"""How much further each reading goes, so that messages without events do not end stretches of steps [ns]."""
THROTTLE, THROTTLE_NS = "every_ns", 20_000_000
"""Attribute of readers for topics with high rates: minimum interval between messages that are read [ns]."""


def stamp_of(message: Any) -> Any:
    """Return the stamp of a message's header, or its own; None if it has none."""
    return getattr(getattr(message, "header", message), "stamp", None)


class EventStream:
    """Converts recorded messages to events.

    A header stamp may differ from the log time by up to a second, so the stream reads ahead by as much.

    Args:
        bag: the recording.
        readers: topic -> functions that convert its messages to events.

    Attributes:
        returned_ns: time of the last call of `until` [ns]; -1: there was none.
    """

    def __init__(self, bag: Bag, readers: Mapping[str, Sequence[EventReader]]) -> None:
        self._bag = bag
        self._readers = readers
        self._decoders = {topic: bag.decoder(topic) for topic in readers}
        self._messages: Iterator[tuple[str, int, bytes] | ReadFault] | None = None
        self._counts = dict.fromkeys(readers, 0)
        self._due_ns = dict.fromkeys(readers, 0)
        self._waiting: list[tuple[int, int, Event]] = []
        # time of the call of `until`, and the event
        self._returned: list[tuple[int, tuple[int, int, Event]]] = []
        self._read_ns = -1
        self._order = 0
        self.returned_ns = -1
        self._sent: dict[str, int] = {}
        self._fault: ReadFault | None = None

    def until(self, time_ns: int) -> list[Event]:
        """Return the events since the last call, up to and including `time_ns`.

        Raises:
            RunFailed: if the recording cannot be read up to this time; raised after all earlier events were returned.
        """
        self.returned_ns = time_ns
        if self._read_ns <= time_ns + STAMP_TOLERANCE_NS:
            while self._fault is None and self._read_ns <= time_ns + STAMP_TOLERANCE_NS + AHEAD_NS:
                self._read_message()
        events = []
        fault = self._fault
        end = time_ns if fault is None else min(time_ns, fault.time_ns)
        while self._waiting and self._waiting[0][0] <= end:
            first = heapq.heappop(self._waiting)
            self._returned.append((time_ns, first))
            events.append(self._with_number(first[2]))
        if not events and fault is not None and fault.time_ns <= time_ns:
            raise RunFailed("recording", "read", fault.time_ns, fault.reason)
        return events

    def seek(self, time_ns: int) -> None:
        """Move to the state after `until(time_ns)`, forwards or backwards.

        Raises:
            RunFailed: see `until`.
        """
        while self._returned and self._returned[-1][0] > time_ns:
            _, entry = self._returned.pop()
            heapq.heappush(self._waiting, entry)
            self._sent[entry[2].source] -= 1
        self.until(time_ns)

    @property
    def quiet_ns(self) -> int:
        """Time before which `until` has nothing to return, to read or to raise [ns]."""
        read_ns = self._read_ns - STAMP_TOLERANCE_NS
        first_ns = self._waiting[0][0] if self._waiting else read_ns
        return min(first_ns, read_ns if self._fault is None else self._fault.time_ns)

    def has_failure(self, time_ns: int) -> bool:
        """Whether there is a failure up to this time that has not been raised yet."""
        return self._fault is not None and self._fault.time_ns <= time_ns

    def close(self) -> None:
        """Stop reading."""
        self._messages = iter(())

    def _read_message(self) -> None:
        if self._messages is None:
            self._messages = self._bag.messages(tuple(self._readers))
        message = next(self._messages, None)
        if message is None:
            self._read_ns = FAR_FUTURE_NS
        elif isinstance(message, ReadFault):
            self._fault = message
        else:
            self._take(*message)

    def _take(self, topic: str, log_ns: int, raw: bytes) -> None:
        self._read_ns = log_ns
        self._counts[topic] += 1
        if log_ns < self._due_ns[topic]:
            return
        self._due_ns[topic] = log_ns + min(getattr(r, THROTTLE, 0) for r in self._readers[topic])
        try:
            content = self._decoders[topic](raw)
            time_ns = self._date(content, log_ns)
            for reader in self._readers[topic]:
                for event in reader(content, time_ns):
                    heapq.heappush(self._waiting, (event.time_ns, self._order, event))
                    self._order += 1
        except Exception as error:
            location = f"{self._bag.path}: {topic}, message {self._counts[topic]}"
            self._fault = ReadFault(log_ns, f"{location} cannot be used: {error or type(error)}")

    def _date(self, content: Any, log_ns: int) -> int:
        """Return the run time of a message: its stamp if plausible (at least 0), otherwise the log time."""
        stamp = stamp_of(content)
        if stamp is None:
            return log_ns
        stamped = stamp.sec * 1_000_000_000 + stamp.nanosec - self._bag.start_ns
        return max(stamped, 0) if abs(stamped - log_ns) <= self._bag.tolerance_ns else log_ns

    def _with_number(self, event: Event) -> Event:
        number = self._sent.get(event.source, 0)
        self._sent[event.source] = number + 1
        return replace(event, sequence=number)
