"""One of the two runs that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.conductor.reporting.summary import handover_row
from hetwin_core.ensemble.events import EventKind, Json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.tables.rows import Happening, Interval


class States(Protocol):
    """The states of a run."""

    def __call__(self, span: Interval) -> tuple[NDArray[np.int64], Floats]:
        """Return (n,) times [ns] and (n, layout.size) values of the states in an interval."""


@dataclass(frozen=True)
class Side:
    """What is compared of a run.

    Attributes:
        layout: entities and attributes.
        models: in the scenario's order.
        start_ns: time of the first state.
        end_ns: time of the last one.
        first: (layout.size,) the first state.
        states: reads the states of an interval.
        events: in order.
        handovers: rows as in the summary.
        given: what the run was given; empty if its log does not say it.
        facts: scenario file, source, seed and rate, as texts.
        summary: of the run; empty if it has none.
    """

    layout: Layout
    models: tuple[ModelRecord, ...]
    start_ns: int
    end_ns: int
    first: Floats
    states: States
    events: Sequence[Happening]
    handovers: Sequence[Mapping[str, Json]]
    given: Mapping[str, Any]
    facts: Mapping[str, str]
    summary: Mapping[str, Any]


def open_side(run: Path) -> Side:
    """Read a run.

    Raises:
        BadInput: if there is no run in the folder, or it cannot be read.
    """
    episode = Episode.open(run)
    events = [
        Happening(row, event.time_ns, event.name, event.source, event.arguments)
        for row, event in enumerate(episode.events)
        if event.kind is not EventKind.TOPIC
    ]

    def states(span: Interval) -> tuple[NDArray[np.int64], Floats]:
        begin, end = np.searchsorted(episode.times, span)
        return episode.times[begin:end], episode.values[begin:end]

    return Side(
        layout=episode.layout,
        models=episode.models,
        start_ns=episode.start_ns,
        end_ns=int(episode.times[-1]),
        first=episode.values[0],
        states=states,
        events=events,
        handovers=[handover_row(handover) for handover in episode.handovers],
        given=episode.given,
        facts=episode.description,
        summary=episode.summary,
    )
