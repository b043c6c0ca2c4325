"""Reads messages of a robot other than its joints and base, and keeps them until their time in the run."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from hetwin_core.ensemble.beliefs import belief_problem
from hetwin_core.ensemble.clock import FAR_FUTURE_NS
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scenario.source import Annotations, Beliefs, SourceOptions
from hetwin_core.ensemble.topics import ANNOTATIONS, BELIEFS, TASKS
from model_nodes.main_physics.sources.annotations import MappedReader, TopicReader, TypedReader
from model_nodes.main_physics.sources.event_stream import EventReader
from model_nodes.main_physics.sources.reports.by_type import reader_of
from model_nodes.main_physics.sources.reports.recorded import BeliefReader, TaskReader


def since_start(events: Iterable[Event], begin_ns: int) -> list[Event]:
    """Return the events since the start of the run, preceded by the last earlier event of each task and belief.

    Args:
        events: events in the order of their arrival, with the robot's times [ns].
        begin_ns: start of the run by the robot's clock [ns].
    """
    kept: dict[object, Event] = {}
    after: list[Event] = []
    for event in events:
        if event.time_ns >= begin_ns:
            after.append(event)
        elif (key := _key(event)) is not None:
            kept[key] = event
    return [*sorted(kept.values(), key=lambda event: event.time_ns), *after]


def _key(event: Event) -> object:
    """The key under which a later event replaces this one; None if it is over at once."""
    arguments = event.arguments
    if event.kind is EventKind.TASK:
        return event.kind, arguments["id"]
    if event.kind is EventKind.BELIEF and not belief_problem(event):
        return event.source, arguments["fluent"], str(arguments["arguments"])
    return None


class EventQueue:
    """Keeps events with the robot's times, and returns them with the run's times when they are due; not thread-safe.

    They are kept in the order of their times, and those of the same time in the order of their arrival.
    """

    def __init__(self) -> None:
        self._waiting: list[Event] = []
        self._numbers: dict[str, int] = {}
        self._epoch_ns = 0

    def __iter__(self) -> Iterator[Event]:
        return iter(self._waiting)

    def add(self, events: Iterable[Event]) -> None:
        """Add events with the robot's times [ns]."""
        for event in events:
            insort(self._waiting, event, key=_TIME)

    @property
    def first_ns(self) -> int:
        """Time of the first event, by the robot's clock; far in the future if there is none [ns]."""
        return self._waiting[0].time_ns if self._waiting else FAR_FUTURE_NS

    def add_own(self, time_ns: int, name: str, arguments: Mapping[str, Any]) -> None:
        """Add an event of the main model itself, at a time of the run [ns]."""
        self.add([Event(name, self._epoch_ns + time_ns, arguments=dict(arguments))])

    def set_epoch(self, epoch_ns: int) -> None:
        """Set the robot's time that is run time 0 [ns], and drop events that were over before."""
        self._epoch_ns = epoch_ns
        self._waiting = since_start(self._waiting, epoch_ns)

    def due(self, time_ns: int) -> list[Event]:
        """Take the events up to a time of the run [ns], ordered by time; events with a source get sequence numbers."""
        count = bisect_right(self._waiting, self._epoch_ns + time_ns, key=_TIME)
        found, self._waiting = self._waiting[:count], self._waiting[count:]
        return [self._with_number(event) for event in found]

    def skip(self, time_ns: int, skipped_ns: int) -> None:
        """Skip a duration after a time of the run [ns]: its events are due at once, later ones are shifted."""
        begin = self._epoch_ns + time_ns
        moved = (max(e.time_ns - skipped_ns, min(e.time_ns, begin)) for e in self._waiting)
        self._waiting = [
            replace(event, time_ns=then) for event, then in zip(self._waiting, moved, strict=True)
        ]

    def _with_number(self, event: Event) -> Event:
        time_ns = max(0, event.time_ns - self._epoch_ns)
        if not event.source:
            return replace(event, time_ns=time_ns)
        number = self._numbers.get(event.source, 0)
        self._numbers[event.source] = number + 1
        return replace(event, time_ns=time_ns, sequence=number)


_TIME = attrgetter("time_ns")
_TWIN_TOPICS = "/hetwin/"


def readers_of(spec: SourceOptions) -> dict[str, list[EventReader]]:
    """Return topic -> readers for a source's topics."""
    readers: dict[str, list[EventReader]] = {}
    for annotation in _annotations(spec):
        reader = (
            TypedReader(annotation.topic)
            if annotation.map is None
            else MappedReader(annotation.topic, annotation.field, annotation.map)
        )
        readers.setdefault(annotation.topic, []).append(reader)
    for topic in spec.topics:
        readers.setdefault(topic, []).append(TopicReader(topic))
    for topic in _tasks(spec):
        readers.setdefault(topic, []).append(TaskReader(topic))
    for belief in _beliefs(spec):
        readers.setdefault(belief.topic, []).append(BeliefReader(belief))
    return readers


def known_types(spec: SourceOptions) -> dict[str, Any]:
    """Return the classes of messages on topics whose type is known beforehand."""
    from hetwin.msg import ActionAnnotation, Belief, Task

    named = {belief.topic for belief in spec.beliefs}
    return {
        **{entry.topic: ActionAnnotation for entry in _annotations(spec) if entry.map is None},
        **dict.fromkeys(_tasks(spec), Task),
        **({} if BELIEFS.name in named else {BELIEFS.name: Belief}),
    }


def action_reader(spec: SourceOptions, topic: str, type_name: str) -> EventReader | None:
    """Return the reader for an action server, a gripper or a behaviour tree; None for any other topic.

    Topics of the twin itself are not read; nor is any topic if the scenario names the annotations.
    """
    reader = reader_of(type_name)
    if spec.annotations is not None or reader is None or _TWIN_TOPICS in topic:
        return None
    return reader(topic)


def _tasks(spec: SourceOptions) -> Sequence[str]:
    return (TASKS.name,) if spec.tasks is None else spec.tasks


def _beliefs(spec: SourceOptions) -> Sequence[Beliefs]:
    """The beliefs that the scenario names, and the topic ``beliefs``."""
    named = {belief.topic for belief in spec.beliefs}
    return spec.beliefs if BELIEFS.name in named else (*spec.beliefs, Beliefs(topic=BELIEFS.name))


def _annotations(spec: SourceOptions) -> Sequence[Annotations]:
    return (Annotations(topic=ANNOTATIONS.name),) if spec.annotations is None else spec.annotations
