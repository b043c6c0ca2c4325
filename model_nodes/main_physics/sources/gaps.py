"""Pauses in streams of joint states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.watch import Finding
from model_nodes.main_physics.sources.joint_facts import JointFacts
from model_nodes.main_physics.sources.joint_series import Series

GAP_INTERVALS = 5
LEAST_GAP_NS = 200_000_000
_FREQUENT = 0.98
_PAUSES = 3
"""Of a stream that pauses again and again, only pauses this many times as long as those are gaps."""
LEAST_ABSENCE_NS = 1_000_000_000
"""Joint states may begin later and end earlier than a recording by this much."""


def find_gaps(series: Sequence[Series], duration_ns: int, facts: JointFacts) -> list[Finding]:
    """Find pauses of more than 0.2 s that stand out in their stream, and 1 s without samples at either end.

    The arguments are topic, joints, duration [s] and the usual (median) interval [s].
    """
    found: list[Finding] = []
    for one in series:
        joints = [joint for joint in one.names if facts.has(joint)]
        if joints and len(one.times_ns) > 1:
            found += _gaps_of(one, joints, duration_ns)
    return found


def _gaps_of(series: Series, joints: Sequence[str], duration_ns: int) -> Iterable[Finding]:
    times = series.times_ns
    intervals = np.diff(times)
    usual = float(np.median(intervals))
    frequent = float(np.quantile(intervals, _FREQUENT, method="lower"))
    least = max(GAP_INTERVALS * usual, _PAUSES * frequent)
    ends = [(0, int(times[0])), (int(times[-1]), duration_ns)]
    pauses = [(int(times[i]), int(times[i + 1])) for i in np.flatnonzero(intervals > LEAST_GAP_NS)]
    for kind, shortest in ((pauses, LEAST_GAP_NS), (ends, LEAST_ABSENCE_NS)):
        for begin, end in kind:
            if end - begin > max(shortest, least):
                arguments: dict[str, Json] = {
                    "topic": series.topic,
                    "joints": list(joints),
                    "duration": (end - begin) / 1e9,
                    "usual": usual / 1e9,
                }
                yield Finding("gap", begin, end, arguments)
