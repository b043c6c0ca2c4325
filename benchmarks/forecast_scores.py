"""How well probabilities that were foretold agree with what came about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hetwin_suite._study.intervals import probability


@dataclass(frozen=True, slots=True)
class Scored:
    """A forecast and what came about."""

    p: float
    came: bool


def scores(scored: Sequence[Scored], edges: Sequence[float]) -> dict[str, Any]:
    """Return how good forecasts are.

    Args:
        scored: forecasts, at least one.
        edges: of the groups of forecasts that are compared with what came about, from 0 to 1.
    """
    share = sum(one.came for one in scored) / len(scored)
    brier = sum((one.p - one.came) ** 2 for one in scored) / len(scored)
    return {
        "episodes": len(scored),
        "brier": round(brier, 4),
        "brier_base": round(share * (1.0 - share), 4),
        "all": group(scored, edges[0], edges[-1]),
        "calibration": [group(scored, low, high) for low, high in pairwise(edges)],
    }


def group(scored: Sequence[Scored], low: float, high: float) -> dict[str, Any]:
    """Compare the forecasts from `low` to below `high`, 1 being below 1, with the share of what came about."""
    last = high == 1.0
    among = [one for one in scored if low <= one.p < high or (last and one.p == high)]
    came = probability(sum(one.came for one in among), len(among))
    mean = sum(one.p for one in among) / len(among) if among else None
    return {
        "from": low,
        "to": high,
        "mean": None if mean is None else round(mean, 4),
        "share": round(came.p, 4) if among else None,
        "low": round(came.low, 4),
        "high": round(came.high, 4),
        "of": len(among),
    }
