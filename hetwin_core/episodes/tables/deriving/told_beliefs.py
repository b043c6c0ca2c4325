"""Puts what a run says of beliefs in columns, as a log of the run holds it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.beliefs import belief_fields
from hetwin_core.ensemble.events import Event
from hetwin_core.episodes.tables.belief_list import BeliefColumns
from hetwin_core.episodes.tables.deriving.claims import Claims

_NO_POSE = (math.nan,) * 7


def told_columns(events: Sequence[Event], claims: Claims) -> BeliefColumns:
    """Return beliefs as columns.

    Args:
        events: see `belief_event`.
        claims: what has been said before; new ones are added.
    """
    told = [belief_fields(event) for event in events]
    return BeliefColumns(
        claims.said,
        np.array([claims.kind(one.fluent, one.arguments, one.holds, one.origin) for one in told]),
        np.array([event.time_ns for event in events], np.int64),
        np.array([one.pose or _NO_POSE for one in told], np.float64).reshape(-1, 7),
        np.array([one.confidence for one in told], np.float64),
    )
