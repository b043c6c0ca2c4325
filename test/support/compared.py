"""Sides of comparisons, made up in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hetwin_compare.comparison import Side
from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Floats
from support.made_tables import LAYOUT, POSED, MadePoses, MadeTables

CAN = Entity("can", EntityKind.OBJECT)


def side(
    made: MadeTables | None = None,
    *,
    handovers: Sequence[Mapping[str, Json]] = (),
    can: Floats | None = None,
    **known: Any,
) -> Side:
    """A side with these tables.

    Args:
        made: its tables; None: of a run in which nothing happens.
        handovers: rows as in the summary.
        can: (n, 3) path of an object that other runs do not have; None: there is none.
        known: `models`, `given`, `facts`, `summary`.
    """
    made = made or MadeTables()
    tables = made.made()
    if can is not None:
        posed = [*((name, POSE) for name in POSED), ("can", POSE)]
        layout = Layout.build([*LAYOUT.entities, CAN], posed)
        poses = MadePoses(layout, made.times, {**made.paths, "can": can})
        tables = replace(tables, layout=layout, poses=poses)
    facts: dict[str, Any] = {"models": (), "given": {}, "facts": {}, "summary": {}, **known}
    return Side(tables=tables, handovers=handovers, **facts)


def models(**types: str) -> tuple[ModelRecord, ...]:
    """Models of these types, by name."""
    blank: dict[str, Any] = dict.fromkeys(ModelRecord.__dataclass_fields__, "")
    return tuple(
        ModelRecord(**{**blank, "name": name, "type": kind}) for name, kind in types.items()
    )


def stepped(made: MadeTables, *steps: tuple[float, tuple[float, float, float]]) -> Floats:
    """(n, 3) a path that stands still, and is moved on by so much from each time [s] on."""
    times = np.array(made.times) / 1e9
    path = np.zeros((len(times), 3))
    for at, move in steps:
        path[times >= at - 1e-9] += move
    return path
