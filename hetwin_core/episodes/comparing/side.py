"""One of the two runs that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.conductor.reporting.summary import handover_row
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.bag_metadata import METADATA
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.run_folder import LOG
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables


@dataclass(frozen=True)
class Side:
    """What is compared of a run.

    Attributes:
        tables: occasions, events, tasks, beliefs and poses.
        models: in the scenario's order.
        handovers: rows as in the summary.
        given: what the run was given; empty if its log does not say it.
        facts: scenario file, source, seed and rate, as texts.
        summary: of the run; empty if it has none.
    """

    tables: Tables
    models: tuple[ModelRecord, ...]
    handovers: Sequence[Mapping[str, Json]]
    given: Mapping[str, Any]
    facts: Mapping[str, str]
    summary: Mapping[str, Any]

    @property
    def layout(self) -> Layout:
        """Entities and attributes."""
        return self.tables.layout

    @cached_property
    def first(self) -> Floats:
        """(layout.size,) the first state."""
        return self.values_at(self.tables.start_ns)

    def states(self, span: Interval) -> tuple[NDArray[np.int64], Floats]:
        """Return (n,) times [ns] and (n, layout.size) values of the states in an interval."""
        found = [(times.copy(), values.copy()) for times, values in self.tables.poses.states(span)]
        times = np.concatenate([np.empty(0, np.int64), *(part for part, _ in found)])
        values = np.concatenate([np.empty((0, self.layout.size)), *(part for _, part in found)])
        return times, values

    def values_at(self, time_ns: int) -> Floats:
        """Return (layout.size,) the last state that is not later; the first for times before it."""
        return self.tables.poses.snapshot(time_ns).values.copy()

    def has(self, entity: str) -> bool:
        """Whether the scene has such an entity with a pose."""
        return self.layout.has(entity, POSE.name)


def open_side(run: Path) -> Side:
    """Read a run.

    Raises:
        BadInput: if there is no run in the folder, it is not over, or it cannot be read.
    """
    tables = open_tables(run)
    if not (tables.finished and (run / LOG / METADATA).exists()):
        raise BadInput(
            "the log is not complete: the run goes on, or was killed",
            file=run / LOG,
            expected="a run that is over",
        )
    episode = Episode.open(run)
    return Side(
        tables=tables,
        models=episode.models,
        handovers=[handover_row(handover) for handover in episode.handovers],
        given=episode.given,
        facts=episode.description,
        summary=episode.summary,
    )
