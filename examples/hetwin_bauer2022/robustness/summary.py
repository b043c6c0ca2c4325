"""Summarizes in one sentence how the ensemble compares with the baselines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hetwin_bauer2022.robustness.curves import GOOD_SHARE, CurvePoint

OURS = "ensemble"
RIVALS = ("single_tuned", "rigid")
"""Baselines that are named where they equal the ensemble."""
BASELINE = "single"


def summary_sentence(points: Sequence[CurvePoint]) -> str:
    """Return the sentence.

    Approaches are compared at each combination of set, truth and level of an axis at which both were judged.

    Args:
        points: points of all curves.
    """
    ours = _by_level(points, OURS)
    if not ours:
        return "The ensemble was not judged, so that nothing can be said about its worth."
    baselines = {name: _by_level(points, name) for name in (BASELINE, *RIVALS)}
    parts = [_share_sentence(ours, "The ensemble")]
    parts += [
        _share_sentence(_common(ours, theirs), name, ours)
        for name, theirs in baselines.items()
        if theirs
    ]
    equals = [
        words
        for name in RIVALS
        if baselines[name]
        for words in _axes_as_flat(ours, baselines[name], name)
    ]
    rivals = [name for name in RIVALS if baselines[name]]
    if equals:
        return f"{', '.join(parts)}; as flat as the ensemble, or flatter: {'; '.join(equals)}."
    if rivals:
        return f"{', '.join(parts)}; neither {' nor '.join(rivals)} is as flat on any axis."
    return f"{', '.join(parts)}."


PointsByLevel = Mapping[tuple[str, str, str, float], CurvePoint]


def _by_level(
    points: Iterable[CurvePoint], approach: str
) -> dict[tuple[str, str, str, float], CurvePoint]:
    return {
        (p.line.set, p.line.truth, p.line.axis, p.level): p
        for p in points
        if p.line.approach == approach and p.of
    }


def _common(ours: PointsByLevel, theirs: PointsByLevel) -> PointsByLevel:
    return {key: point for key, point in theirs.items() if key in ours}


def _share_sentence(points: PointsByLevel, name: str, ours: PointsByLevel | None = None) -> str:
    good = sum(not point.breaks for point in points.values())
    if ours is None:
        return f"{name} is right in {GOOD_SHARE:.0%} and more of the executions at {good} of {len(points)} levels"
    ours_good = sum(not ours[key].breaks for key in points)
    compared = "" if len(points) == len(ours) else f" (the ensemble there: {ours_good})"
    return f"{name} at {good} of {len(points)}{compared}"


def _axes_as_flat(ours: PointsByLevel, theirs: PointsByLevel, name: str) -> list[str]:
    """Return the axes on which a baseline breaks at no more levels than the ensemble, as text."""
    common = _common(ours, theirs)
    axes = dict.fromkeys(axis for _, _, axis, _ in common)
    flat = [
        axis
        for axis in axes
        if sum(point.breaks for key, point in common.items() if key[2] == axis)
        <= sum(ours[key].breaks for key in common if key[2] == axis)
    ]
    return [f"{name} on {', '.join(flat)}"] if flat else []
