"""An episode: one run, opened from its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.event_codec import event_of_message
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scenario.source import SourceKind
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.layout_json import layout_from_json
from hetwin_core.ensemble.scene.values import Floats, Ints, Value
from hetwin_core.projection.annotations import Annotation, pair_annotations
from hetwin_core.projection.approaches import Approach, nearest_approaches
from hetwin_core.projection.asking.asked import Asked
from hetwin_core.projection.log_reader import LogContent, check_there_is_a_log
from hetwin_core.projection.messages import nanoseconds
from hetwin_core.projection.run_folder import LOG, read_summary
from hetwin_core.projection.spans import Attribute, Span, spans
from hetwin_core.projection.tables.open import open_tables
from hetwin_core.projection.tables.tables import Tables

_LEVELS = ("info", "warning", "error")
_READ = (
    topics.REGISTRY,
    topics.RESPONSIBILITIES,
    topics.STATE,
    topics.EVENTS,
    topics.HANDOVERS,
    topics.DIAGNOSTICS,
)


@dataclass(frozen=True, slots=True)
class Note:
    """A remark for users; `level` is ``info``, ``warning`` or ``error``."""

    time_ns: int
    level: str
    source: str
    text: str


@dataclass(frozen=True)
class Episode(Asked):
    """A recorded run, which can be asked questions; these are read off its tables and need no states in memory.

    Attributes:
        run: its folder.
        summary: the content of ``summary.json``; empty if the run ended before it was written.
        description: scenario file, source, seed and rate, as texts, and what the run was given, as JSON.
        scenario: name of the scenario.
        models: in the order in which `owners` counts.
        layout: entities and attributes.
        times: (n,) simulated time of the states, in ns.
        values: (n, layout.size) all attributes at these times, poses in the world.
        owners: (n, slots) index of the responsible model.
        parents: (n, slots) index of the entity in whose frame the owner gave the value, -1 for the world.
        events: in the order in which they were handled.
        handovers: in the order in which they happened.
        annotations: actions of the robot's program, by their beginning.
        responsibilities: (entity, attribute) -> spans without gaps from start to end.
        notes: in order.
        approaches: (object, other) -> the nearest that the two came to each other, of those that came near.
        end_ns: the last time in the log.
    """

    run: Path
    summary: Mapping[str, Any]
    description: Mapping[str, str]
    scenario: str
    models: tuple[ModelRecord, ...]
    layout: Layout
    times: NDArray[np.int64]
    values: Floats
    owners: Ints
    parents: Ints
    events: tuple[Event, ...]
    handovers: tuple[Handover, ...]
    annotations: tuple[Annotation, ...]
    responsibilities: Mapping[Attribute, tuple[Span, ...]]
    notes: tuple[Note, ...]
    approaches: Mapping[tuple[str, str], Approach]
    end_ns: int

    @classmethod
    def open(cls, run: Path) -> Episode:
        """Read a run's folder.

        Raises:
            BadInput: if it holds no run, or the log or the summary cannot be read.
        """
        content = LogContent(run, _READ)
        summary = read_summary(run) or {}
        try:
            return _assemble(cls, run, summary, content)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            raise BadInput(
                f"the log does not hold what a run's log holds: {error}",
                file=run / LOG,
                expected="a log written by hetwin",
            ) from error

    @classmethod
    def unread(cls, run: Path) -> Episode:
        """Return a run whose log is read when something of it is asked for; questions read its tables only.

        Raises:
            BadInput: if the folder holds no run; what else `open` raises comes when the log is read.
        """
        check_there_is_a_log(run)
        return _Unread(run)

    @cached_property
    def tables(self) -> Tables:
        """What the log says as intervals and moments, for questions.

        Raises:
            BadInput: if the log cannot be read.
        """
        return open_tables(self.run)

    @property
    def seconds(self) -> Floats:
        """(n,) simulated time of the states, in s."""
        return np.asarray(self.times / 1e9, np.float64)

    @property
    def given(self) -> dict[str, Any]:
        """What the run was given, see `run_given`; empty in logs that do not say it."""
        return dict(json.loads(self.description.get("given", "{}")))

    @property
    def is_commanded(self) -> bool:
        """Whether a model of the run moved its robot; else the robot followed a recording, a plan or a live one."""
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

    def index_at(self, time_ns: int) -> int:
        """Index of the last state that is not later than a time; the first for times before it."""
        return max(0, int(np.searchsorted(self.times, time_ns, side="right")) - 1)


class _Unread(Episode):
    """A run that is read when an attribute is missing, which is then set, as all others are.

    Args:
        run: its folder.
    """

    def __init__(self, run: Path) -> None:
        self.__dict__["run"] = run

    def __getattr__(self, name: str) -> Any:
        if name not in {field.name for field in fields(Episode)}:
            raise AttributeError(f"an episode has no attribute {name!r}")
        self.__dict__.update(vars(Episode.open(self.run)))
        return self.__dict__[name]


def _assemble(
    cls: type[Episode], run: Path, summary: Mapping[str, Any], content: LogContent
) -> Episode:
    if not content.of(topics.REGISTRY) or not content.of(topics.STATE):
        raise BadInput("the log holds no scene", file=run / LOG, expected="a log written by hetwin")
    registry = content.of(topics.REGISTRY)[-1]
    states = content.of(topics.STATE)
    times = np.array([nanoseconds(state.stamp) for state in states], np.int64)
    told = content.of(topics.EVENTS)
    events = tuple(event_of_message(item, nanoseconds(item.stamp)) for item in told)
    handovers = tuple(handover_of(item) for item in content.of(topics.HANDOVERS))
    start_ns = int(times[0])
    happened = [e.time_ns for e in events] + [h.time_ns for h in handovers]
    end_ns = max([int(times[-1]), *happened])
    actions = [event for event in events if event.kind is EventKind.ACTION]
    first_table = content.of(topics.RESPONSIBILITIES)[0].responsibilities
    owners = {(row.entity, row.attribute): row.model for row in first_table}
    layout = layout_from_json(json.loads(registry.layout))
    return cls(
        run=run,
        summary=summary,
        description=content.description,
        scenario=registry.scenario,
        models=tuple(model_record(model) for model in registry.models),
        layout=layout,
        times=times,
        values=np.stack([state.values for state in states]),
        owners=np.stack([state.owners for state in states]),
        parents=np.stack([state.parents for state in states]),
        events=events,
        handovers=handovers,
        annotations=tuple(pair_annotations(actions, start_ns, end_ns)),
        responsibilities=spans(owners, handovers, start_ns, end_ns),
        notes=tuple(_note(array) for array in content.of(topics.DIAGNOSTICS)),
        approaches=nearest_approaches(layout, times, [state.proximity for state in states]),
        end_ns=end_ns,
    )


def model_record(model: Any) -> ModelRecord:
    """Return a model of a registry's message."""
    names = ModelRecord.__dataclass_fields__
    return ModelRecord(**{name: getattr(model, name) for name in names})


def handover_of(item: Any) -> Handover:
    """Return the handover of a message."""
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
