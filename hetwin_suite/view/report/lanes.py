"""Lanes: spans that overlap go side by side."""

from __future__ import annotations

from collections.abc import Iterable


def lanes(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Return, for each span in the order of their beginnings, the first lane that is free."""
    busy: list[int] = []
    found = []
    for begin, end in spans:
        lane = next((i for i, until in enumerate(busy) if until <= begin), len(busy))
        busy[lane : lane + 1] = [end]
        found.append(lane)
    return found


def lane_name(name: str, index: int) -> str:
    """Return the name of a lane's row: the first has no number."""
    return name if index == 0 else f"{name} {index + 1}"
