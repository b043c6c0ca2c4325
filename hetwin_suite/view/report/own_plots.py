"""Plots of what models other than the main one compute: temperature, charge, filling and whatever else."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.scene.consistency import CONSISTENCY
from hetwin_core.ensemble.scene.layout import Slot
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, POSE, Floats, Meaning
from hetwin_core.episodes.derived import Span
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.figures import Axis, Chart, Panel, Plot, lines_over, over
from hetwin_suite.view.palette import SERIES
from hetwin_suite.view.report.story.events import WATCHER, own_events

_PARTS = {EXTERNAL_WRENCH.name: ("fx", "fy", "fz", "tx", "ty", "tz")}
"""Names of the numbers of attributes that hetwin knows."""
_MOST_LINES = 8
_MOST_PLOTS = 12
_MOST_EVENTS = 40


def own_plots(episode: Episode) -> Iterator[Plot]:
    """A plot for each attribute that a model other than the main one computes, of all the things that have it.

    Of attributes with many numbers, those that change most are drawn. Poses, predicates and what the robot's watcher
    computes have plots of their own; figures of consistency have none.
    """
    found: dict[tuple[str, str], list[Slot]] = {}
    for slot in episode.layout.slots:
        if _is_own(episode, slot):
            found.setdefault((slot.attribute.name, slot.attribute.unit), []).append(slot)
    for (name, unit), slots in list(found.items())[:_MOST_PLOTS]:
        plot = _plot(episode, name, unit, slots)
        if plot is not None:
            yield plot


def _is_own(episode: Episode, slot: Slot) -> bool:
    if (
        slot.attribute.name in (POSE.name, CONSISTENCY.name)
        or slot.attribute.meaning is not Meaning.QUANTITY
    ):
        return False
    main = {model.name for model in episode.models if model.main} | {WATCHER}
    spans = episode.responsibilities.get((slot.entity, slot.attribute.name), ())
    return any(span.model not in main for span in spans)


def _plot(episode: Episode, name: str, unit: str, slots: list[Slot]) -> Plot | None:
    """None if it never has a value."""
    series = {
        label: values for slot in slots for label, values in _series(episode, slot, len(slots) > 1)
    }
    series = {label: values for label, values in series.items() if np.isfinite(values).any()}
    if not series:
        return None
    words = name.replace("_", " ")
    chosen = sorted(series, key=lambda label: -_change(series[label]))[:_MOST_LINES]
    shown = {label: series[label] for label in series if label in chosen}
    behind = "" if "," in unit else unit
    lines = list(lines_over(episode, shown, SERIES, unit=behind, decimals=-1))
    by = sorted({span.model for s in slots for span in _spans(episode, s)})
    left = len(series) - len(shown)
    text = f"Computed by {', '.join(by)}." + (
        f" {left} that change less are left out." if left else ""
    )
    about = slots[0].entity if len(slots) == 1 else f"{len(slots)} things"
    times = [event.time_ns / 1e9 for event in own_events(episode) if event.source in by]
    panel = Panel(lines, Axis(f"{words} [{unit}]" if unit else words))
    marks = times if len(times) <= _MOST_EVENTS else []
    drawn = Chart([panel], over(episode), height=220, marks=marks, legend=len(shown) > 1)
    return Plot(f"{words.capitalize()} of {about}", text, drawn)


def _spans(episode: Episode, slot: Slot) -> list[Span]:
    return list(episode.responsibilities.get((slot.entity, slot.attribute.name), ()))


def _series(episode: Episode, slot: Slot, several: bool) -> Iterator[tuple[str, Floats]]:
    """Label and values over time of each number of an attribute."""
    values = episode.attribute(slot.entity, slot.attribute.name)
    names = _PARTS.get(slot.attribute.name) or episode.layout.entity(slot.entity).joints
    for i, column in enumerate(values.T):
        part = names[i] if len(names) == slot.attribute.size else f"{i + 1}"
        parts = ([slot.entity] if several else []) + ([part] if slot.attribute.size > 1 else [])
        yield " · ".join(parts) or slot.entity, column


def _change(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0
