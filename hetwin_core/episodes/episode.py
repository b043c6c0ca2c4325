"""An episode: one run, opened from its folder."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind, event_of_message
from hetwin_core.ensemble.limits import parse_json
from hetwin_core.ensemble.scenario.source import SourceKind
from hetwin_core.ensemble.scene.layout import Layout, layout_from_json
from hetwin_core.ensemble.scene.values import Floats, Ints, Value
from hetwin_core.episodes.asking.asked import AskableEpisode
from hetwin_core.episodes.derived import (
    Annotation,
    Approach,
    Attribute,
    Span,
    nearest_approaches,
    pair_annotations,
    spans,
)
from hetwin_core.episodes.following.content import LogContent, log_file, no_scene, readable
from hetwin_core.episodes.following.log_file import Chunk, LogFile, Place
from hetwin_core.episodes.following.states import Definitions, States, joined
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.run_folder import LOG, folder_of, read_summary
from hetwin_core.episodes.tables.open import Derived, open_tables
from hetwin_core.episodes.tables.tables import Tables

_LEVELS = ("info", "warning", "error")
_EPISODE_TOPICS = (
    topics.REGISTRY,
    topics.RESPONSIBILITIES,
    topics.EVENTS,
    topics.HANDOVERS,
    topics.DIAGNOSTICS,
)


@dataclass(frozen=True, slots=True)
class Note:
    """A message for users; `level` is ``info``, ``warning`` or ``error``."""

    time_ns: int
    level: str
    source: str
    text: str


class Episode(AskableEpisode):
    """A recorded run, which can be queried.

    Events and states are read once, on first access; questions use only the tables.

    Args:
        run: its folder.

    Raises:
        BadInput: if it holds no run; later, whenever a part of it cannot be read.
    """

    def __init__(self, run: Path) -> None:
        log_file(run)
        self.run = run

    @classmethod
    def open(cls, run: Path) -> Episode:
        """Return the run in a folder, with its events read.

        Raises:
            BadInput: if it holds no run, or the log or the summary cannot be read.
        """
        episode = cls(run)
        _ = episode.summary, episode._messages
        return episode

    @classmethod
    def with_tables(cls, run: Path) -> tuple[Episode, Tables | BadInput]:
        """Return the result of `open`, and the tables or the reason why there are none; reads the log once for both.

        Raises:
            BadInput: as `open`.
        """
        episode = cls(run)
        _ = episode.summary
        definitions = Definitions(LogFile(log_file(run)))
        derivation = _ConcurrentDerivation(run, definitions)
        episode._content = LogContent(
            run, *_EPISODE_TOPICS, definitions=definitions, on_chunk=derivation.add
        )
        _ = episode._messages
        tables = derivation.tables()
        if not isinstance(tables, BadInput):
            episode._states = derivation.states
        return episode, tables

    @cached_property
    def summary(self) -> Mapping[str, Any]:
        """The content of ``summary.json``; empty if the run ended before it was written."""
        return read_summary(self.run) or {}

    @cached_property
    def tables(self) -> Tables:
        """The log as intervals and moments, for questions."""
        return open_tables(self.run)

    @cached_property
    def _content(self) -> LogContent:
        return LogContent(self.run, *_EPISODE_TOPICS)

    @cached_property
    def _messages(self) -> _Messages:
        content = self._content
        if not content.of(topics.REGISTRY) or not content.has_states:
            raise no_scene(self.run)
        with readable(self.run / LOG):
            return _messages(content)

    @cached_property
    def _states(self) -> States:
        return self._content.states(self.layout)

    @cached_property
    def description(self) -> Mapping[str, str]:
        """Scenario file, source, seed and rate, as texts, and the run's input, as JSON."""
        return self._content.description

    @cached_property
    def scenario(self) -> str:
        """Name of the scenario."""
        return self._messages.scenario

    @cached_property
    def models(self) -> tuple[ModelRecord, ...]:
        """The models in the order of the indices in `owners`."""
        return self._messages.models

    @cached_property
    def layout(self) -> Layout:
        """Entities and attributes."""
        return self._messages.layout

    @cached_property
    def times(self) -> NDArray[np.int64]:
        """(n,) simulated time of the states, in ns."""
        return self._states.times

    @cached_property
    def values(self) -> Floats:
        """(n, layout.size) all attributes at these times, poses in the world."""
        return self._states.values

    @cached_property
    def owners(self) -> Ints:
        """(n, slots) index of the responsible model."""
        return self._states.owners

    @cached_property
    def parents(self) -> Ints:
        """(n, slots) index of the entity in whose frame the owner gave the value, -1 for the world."""
        return self._states.parents

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events in the order in which they were handled."""
        return self._messages.events

    @cached_property
    def handovers(self) -> tuple[Handover, ...]:
        """The handovers in the order in which they happened."""
        return self._messages.handovers

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """Actions of the robot's program, by start time."""
        actions = [event for event in self.events if event.kind is EventKind.ACTION]
        return tuple(pair_annotations(actions, self.start_ns, self.end_ns))

    @cached_property
    def responsibilities(self) -> Mapping[Attribute, tuple[Span, ...]]:
        """(entity, attribute) -> spans without gaps from start to end."""
        return spans(self._messages.owners, self.handovers, self.start_ns, self.end_ns)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The messages for users, in order."""
        return self._messages.notes

    @cached_property
    def approaches(self) -> Mapping[tuple[str, str], Approach]:
        """(object, other) -> their nearest approach, for pairs that came near each other."""
        states = self._states
        return nearest_approaches(self.layout, states.times[states.of_state], states.proximity)

    @cached_property
    def end_ns(self) -> int:
        """The last time in the log."""
        times = [e.time_ns for e in self.events] + [h.time_ns for h in self.handovers]
        return max([int(self.times[-1]), *times])

    @property
    def seconds(self) -> Floats:
        """(n,) simulated time of the states, in s."""
        return np.asarray(self.times / 1e9, np.float64)

    @property
    def given(self) -> dict[str, Any]:
        """The run's input, see `run_inputs`; empty in logs without it."""
        return dict(parse_json(self.description.get("given", "{}")))

    @property
    def is_commanded(self) -> bool:
        """Whether a model of the run moved its robot, instead of a recording, a plan or a live robot."""
        return self.description.get("source", "").startswith(f"{SourceKind.MODEL.value}:")

    @property
    def start_ns(self) -> int:
        """The first time in the log."""
        return int(self.times[0])

    def pose(self, entity: str) -> Floats:
        """(n, 13) pose and twist in the world over time.

        Raises:
            KeyError: if the scene has no such entity with a pose.
        """
        return self.attribute(entity, "pose")

    def attribute(self, entity: str, name: str) -> Floats:
        """(n, size) values of an attribute over time.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return self.values[:, self.layout.range_of(entity, name)]

    def near(self, index: int) -> Floats:
        """(k, 12) rows of `Snapshot.proximity` in the state with this index."""
        return self._states.near(index)

    def index_at(self, time_ns: int) -> int:
        """Index of the last state that is not later than a time; the first state for earlier times."""
        return max(0, int(np.searchsorted(self.times, time_ns, side="right")) - 1)


def open_episode(log: str | Path) -> Episode:
    """Return the episode of a run: its states, events, handovers and responsibilities, and answers to questions.

    The log is read on first access to one of these. Questions such as ``episode.holds(on("box", "tray"),
    at(12.0))`` read only the tables that they need, so that they are equally fast for an episode of an hour.

    Args:
        log: folder of the run, or the log in it.

    Raises:
        BadInput: if there is no run; on first access, if its log or summary cannot be read.
    """
    return Episode(folder_of(log))


class _ConcurrentDerivation:
    """Derives the tables of a log and keeps its states while its content is read; errors affect only the tables.

    Args:
        run: folder of the run.
        definitions: definitions of its log.
    """

    def __init__(self, run: Path, definitions: Definitions) -> None:
        self._derived = Derived(run, definitions)
        self._path = definitions.file.path
        self._parts: deque[tuple[Place, States]] = deque()
        self._error: BadInput | None = None

    def add(self, chunk: Chunk) -> None:
        """Process a chunk."""
        if self._error is None:
            try:
                with readable(self._path):
                    states = self._derived.add(chunk)
            except BadInput as error:
                self._error = error
            else:
                self._parts += [] if states is None else [(chunk.place, states)]

    def tables(self) -> Tables | BadInput:
        """Return the tables of the complete log, or the reason why there are none."""
        if self._error is not None:
            return self._error
        last_rows = [*accumulate(len(part.times) for _, part in self._parts)]
        places = {
            place: (end - len(part.times), end)
            for (place, part), end in zip(self._parts, last_rows, strict=True)
        }
        try:
            with readable(self._path):
                self._derived.finish()
            tables = self._derived.tables(lambda place: self.states.between(*places[place]))
        except BadInput as error:
            return error
        parts = (self._parts.popleft()[1] for _ in range(len(self._parts)))
        self.states = joined(parts, last_rows[-1])
        return tables


class _Messages(NamedTuple):
    """The content of a log's messages; `owners` are those at the start."""

    scenario: str
    models: tuple[ModelRecord, ...]
    layout: Layout
    owners: Mapping[Attribute, str]
    events: tuple[Event, ...]
    handovers: tuple[Handover, ...]
    notes: tuple[Note, ...]


def _messages(content: LogContent) -> _Messages:
    registry = content.of(topics.REGISTRY)[-1]
    first_table = content.of(topics.RESPONSIBILITIES)[0].responsibilities
    return _Messages(
        registry.scenario,
        tuple(model_record(model) for model in registry.models),
        layout_from_json(parse_json(registry.layout)),
        {(row.entity, row.attribute): row.model for row in first_table},
        tuple(_event(item) for item in content.of(topics.EVENTS)),
        tuple(handover_of(item) for item in content.of(topics.HANDOVERS)),
        tuple(_note(array) for array in content.of(topics.DIAGNOSTICS)),
    )


def model_record(model: Any) -> ModelRecord:
    """Return the record of a model in a registry's message."""
    names = ModelRecord.__dataclass_fields__
    return ModelRecord(**{name: getattr(model, name) for name in names})


def _event(item: Any) -> Event:
    return event_of_message(item, nanoseconds(item.stamp))


def handover_of(item: Any) -> Handover:
    """Return the handover in a message."""
    time_ns = nanoseconds(item.stamp)
    return Handover(
        time_ns,
        item.entity,
        item.attribute,
        item.from_model,
        item.to_model,
        item.cause,
        Value(np.asarray(item.value, np.float64), time_ns, item.parent),
    )


def _note(array: Any) -> Note:
    status = array.status[0]
    level = _LEVELS[min(int(status.level), 2)]
    return Note(nanoseconds(array.header.stamp), level, status.name, status.message)
