"""Summarizes in one sentence how the ensemble compares with the baselines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hetwin_bauer2022.robustness.curves import GOOD_SHARE, CurvePoint

OURS = "ensemble"
RIVALS = ("single_tuned", "rigid")
"""Baselines that are named where they equal the ensemble."""
BASELINE = "single"


def worth(points: Sequence[CurvePoint]) -> str:
    """Return the sentence.

    Approaches are compared at each combination of set, truth and level of an axis at which both were judged.

    Args:
        points: points of all curves.
    """
    ours = _by_place(points, OURS)
    if not ours:
        return "The ensemble was not judged, so that nothing can be said about its worth."
    others = {name: _by_place(points, name) for name in (BASELINE, *RIVALS)}
    said = [_held(ours, "The ensemble")]
    said += [_held(_common(ours, found), name, ours) for name, found in others.items() if found]
    equals = [
        words for name in RIVALS if others[name] for words in _equals(ours, others[name], name)
    ]
    rivals = [name for name in RIVALS if others[name]]
    if equals:
        return f"{', '.join(said)}; as flat as the ensemble, or flatter: {'; '.join(equals)}."
    if rivals:
        return f"{', '.join(said)}; neither {' nor '.join(rivals)} is as flat on any axis."
    return f"{', '.join(said)}."


Places = Mapping[tuple[str, str, str, float], CurvePoint]


def _by_place(
    points: Iterable[CurvePoint], approach: str
) -> dict[tuple[str, str, str, float], CurvePoint]:
    return {
        (p.line.set, p.line.truth, p.line.axis, p.level): p
        for p in points
        if p.line.approach == approach and p.of
    }


def _common(ours: Places, theirs: Places) -> Places:
    return {place: point for place, point in theirs.items() if place in ours}


def _held(points: Places, name: str, ours: Places | None = None) -> str:
    good = sum(not point.breaks for point in points.values())
    if ours is None:
        return f"{name} is right in {GOOD_SHARE:.0%} and more of the executions at {good} of {len(points)} levels"
    mine = sum(not ours[place].breaks for place in points)
    compared = "" if len(points) == len(ours) else f" (the ensemble there: {mine})"
    return f"{name} at {good} of {len(points)}{compared}"


def _equals(ours: Places, theirs: Places, name: str) -> list[str]:
    """Return the axes on which a baseline breaks at no more levels than the ensemble, as text."""
    common = _common(ours, theirs)
    axes = dict.fromkeys(axis for _, _, axis, _ in common)
    flat = [
        axis
        for axis in axes
        if sum(point.breaks for place, point in common.items() if place[2] == axis)
        <= sum(ours[place].breaks for place in common if place[2] == axis)
    ]
    return [f"{name} on {', '.join(flat)}"] if flat else []
