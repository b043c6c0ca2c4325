"""The moment of a run from which a change would matter."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import POSE
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables

AHEAD_S = 0.1
"""So long before the moment at which something happens the futures begin."""
FAR_M = 0.45
"""What nothing that moves comes nearer to than this, between their origins, cannot have mattered."""


def begin_of(entities: Iterable[str], tables: Tables) -> float:
    """Return the last moment at which nothing depends yet on where these entities are [s].

    Of what stands this is shortly before it is first touched, or before the robot last lets go of something; of what
    can be moved itself it is the start.

    Args:
        entities: one that is to be elsewhere, and what is moved with it.
        tables: of the run.
    """
    names = {*entities}
    layout = tables.layout
    if any(layout.entity(name).kind is not EntityKind.STATIC for name in names):
        return 0.0
    touched = [
        one.time_ns
        for one in tables.events
        if one.name == "collision"
        and one.time_ns > 0
        and names & {*map(str, one.arguments.values())}
    ]
    let_go = [one.span.to_ns for one in tables.occasions.find("held") if one.ended]
    moments = [min(touched)] if touched else []
    moments += [max(let_go)] if let_go else []
    return max(min(moments) / 1e9 - AHEAD_S, 0.0) if moments else 0.0


def comes_near(entity: str, tables: Tables, reach: float) -> bool:
    """Return whether something that moves comes so near to an entity that a shift could matter.

    Args:
        entity: one that stands.
        tables: of the run.
        reach: by how much it could be elsewhere [m].
    """
    layout = tables.layout
    at = tables.poses.at(entity, tables.start_ns)[1][:2]
    span = Interval(tables.start_ns, tables.known_until_ns + 1)
    for one in layout.of_kind(EntityKind.OBJECT):
        if not layout.has(one.name, POSE.name):
            continue
        _, poses = tables.poses.during(one.name, span)
        if np.ptp(poses[:, :3], axis=0).max() < reach / 10:
            continue
        if np.linalg.norm(poses[:, :2] - at, axis=1).min() < FAR_M + reach:
            return True
    return False
