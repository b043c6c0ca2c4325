"""Episodes as tables: occasions, events, tasks and beliefs, row by row.

Tables are for code that reads whole episodes, such as statistics and exports; to ask single questions, see
`hetwin_suite.episode.open_episode`::

    import hetwin_suite
    from hetwin_suite.tables import open_tables

    summary = hetwin_suite.run("pick_and_place", duration=0.2)
    tables = open_tables(summary.folder)
    for row in tables.occasions:
        print(row.fluent, row.a, row.b, row.span.from_ns / 1e9)

`read_table` reads a CSV file of numbers; its errors name line and column.
"""

from __future__ import annotations

from hetwin_core.ensemble.conductor.reporting.coverage import DECIDED_BY
from hetwin_core.ensemble.number_table import Table as NumberTable
from hetwin_core.ensemble.number_table import check_columns, read_table
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.run_folder import LOG
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.lists import BeliefList
from hetwin_core.episodes.tables.open import finished_tables, open_tables
from hetwin_core.episodes.tables.poses import ANGLE, DISTANCE_M, distances
from hetwin_core.episodes.tables.rows import (
    BORNE,
    DERIVED,
    Belief,
    BeliefError,
    Happening,
    Interval,
    Occasion,
    Task,
    picked,
)
from hetwin_core.episodes.tables.tables import Tables, UnobservedInterval

__all__ = [
    "ANGLE",
    "BORNE",
    "DECIDED_BY",
    "DERIVED",
    "DISTANCE_M",
    "LOG",
    "POSE",
    "Belief",
    "BeliefError",
    "BeliefList",
    "Floats",
    "Happening",
    "Interval",
    "Intervals",
    "NumberTable",
    "Occasion",
    "Tables",
    "Task",
    "UnobservedInterval",
    "check_columns",
    "distances",
    "finished_tables",
    "open_tables",
    "picked",
    "read_table",
]
