"""Plots of a run: positions of objects, joint positions, predicates, and other attributes of models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Slot
from hetwin_core.ensemble.scene.values import (
    EXTERNAL_WRENCH,
    POSE,
    Floats,
    Meaning,
    Shape,
    ShapeKind,
)
from hetwin_core.ensemble.scene.watch import CONSISTENCY
from hetwin_core.ensemble.state_words import predicate_stem
from hetwin_core.episodes.derived import Span
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Unseen
from hetwin_suite.view.figures import (
    Axis,
    Bar,
    Chart,
    Panel,
    Plot,
    Rows,
    Tint,
    lines_over,
    time_span,
)
from hetwin_suite.view.palette import AXES, SERIES, model_colours
from hetwin_suite.view.report.followed import robot_plots
from hetwin_suite.view.report.story.events import WATCHER, is_handling, own_events
from hetwin_suite.view.report.story.robots import joint_slot, travel

_MOVED = 1e-3
"""Minimum travel of an object with a plot [m]."""
_MAX_OBJECTS = 6
_MAX_EVENTS = 40
_MAX_NEVER = 6
_UNSEEN = "#9aa0a6"
"""Colour of bars while a predicate is unknown."""
_PREDICATES = (Meaning.TRUTH, Meaning.ENTITY)


def plots(episode: Episode, unseen: Unseen | None) -> Iterator[Plot]:
    """Yield all plots of an episode, most important first.

    Args:
        episode: the run.
        unseen: intervals in which predicates were not observed; None if the intervals are not known.
    """
    objects = [
        entity
        for entity in episode.layout.of_kind(EntityKind.OBJECT)
        if travel(episode, entity.name) > _MOVED
    ]
    objects.sort(key=lambda entity: -travel(episode, entity.name))
    for entity in objects[:_MAX_OBJECTS]:
        yield _object_plot(episode, entity)
    yield from attribute_plots(episode)
    yield from robot_plots(episode)
    predicates = _predicate_plot(episode, unseen)
    if predicates is not None:
        yield predicates
    for hand in episode.layout.of_kind(EntityKind.HAND):
        yield from _joint_plots(episode, hand, f"Fingers of {hand.name}")
    for robot in episode.layout.of_kind(EntityKind.ROBOT):
        yield from _joint_plots(episode, robot, f"Joints of {robot.name}")


def _object_plot(episode: Episode, entity: Entity) -> Plot:
    pose = episode.pose(entity.name)
    lines = list(
        lines_over(episode, dict(zip("xyz", pose.T, strict=False)), AXES, unit="m", decimals=4)
    )
    colours = model_colours(episode.models)
    main = {model.name for model in episode.models if model.main}
    tints = [
        Tint(span.from_ns / 1e9, span.to_ns / 1e9, colours.get(span.model, SERIES[0]))
        for span in episode.responsibilities.get((entity.name, "pose"), ())
        if span.model not in main
    ]
    panels = [Panel(lines, Axis("position [m]"), tints=tints)]
    height = clearance(episode, entity.name)
    text = "Position in the world."
    if height is not None:
        text = (
            "Position in the world, and the height of its lowest point above the surface under it."
        )
    if height is not None and np.isfinite(height).any():
        heights = {"above what is under it": 1e3 * height}
        clearance_lines = lines_over(episode, heights, SERIES[5:], unit="mm", decimals=1)
        panels = [
            replace(panels[0], share=0.62),
            Panel(list(clearance_lines), Axis("clear [mm]"), tints=tints, share=0.38),
        ]
    if tints:
        text += " Tinted while a model other than the main one was responsible for its pose."
    marks = _handling_times_s(episode, entity.name)
    return Plot(
        f"Where {entity.name} was", text, Chart(panels, time_span(episode), height=330, marks=marks)
    )


def _joint_plots(episode: Episode, entity: Entity, title: str) -> Iterator[Plot]:
    """Yield the plot of the joint positions of a robot, or of a hand's fingers."""
    robot = entity.owner if entity.kind is EntityKind.HAND else entity.name
    slot = joint_slot(episode, robot)
    if slot is None or not entity.joints:
        return
    names = episode.layout.entity(robot).joints
    values = episode.attribute(robot, slot.attribute.name)
    positions = {name: values[:, names.index(name)] for name in entity.joints if name in names}
    lines = list(lines_over(episode, positions, SERIES, decimals=4))
    if lines:
        panel = Panel(lines, Axis(slot.attribute.unit or "rad or m"))
        yield Plot(
            title,
            "Joint positions.",
            Chart([panel], time_span(episode), height=230, marks=_handling_times_s(episode, None)),
        )


def _predicate_plot(episode: Episode, unseen: Unseen | None) -> Plot | None:
    """Return the plot of predicates: a bar while one holds, with the name of the entity in the relation, if any."""
    bars: list[Bar] = []
    names: list[str] = []
    for slot in episode.layout.slots:
        if slot.attribute.meaning not in _PREDICATES or slot.attribute.size != 1:
            continue
        partner = slot.attribute.meaning is Meaning.ENTITY
        name = predicate_stem(slot.attribute.name, slot.entity, partner=partner)
        names.append(name)
        for start, end, value in stretches(episode.times, episode.values[:, slot.offset]):
            words = _partner(episode, slot, value)
            if words is not None:
                title = f"{name} {words}".strip()
                bars.append(Bar(name, start / 1e9, end / 1e9, SERIES[2], words, title))
        for start, end in _unseen(episode, slot, unseen):
            title = f"{name}: not known"
            bars.append(Bar(name, start / 1e9, end / 1e9, _UNSEEN, "not known", title))
    if not names:
        return None
    held = {bar.row for bar in bars}
    rows = [name for name in dict.fromkeys(names) if name in held]
    text = _predicate_text([name for name in dict.fromkeys(names) if name not in held])
    marks = _handling_times_s(episode, None)
    return Plot("What held", text, Rows(rows, bars, time_span(episode), marks=marks))


def _predicate_text(names: list[str]) -> str:
    if not names:
        return "A bar where it holds, with the name of what it is about; a grey one where that is not known."
    return f"A bar where it holds, a grey one where that is not known. Never: {some(names, _MAX_NEVER)}."


def _unseen(episode: Episode, slot: Slot, unseen: Unseen | None) -> Iterable[tuple[int, int]]:
    """Return the intervals [ns] in which a predicate was not observed and does not hold by a model's report."""
    if unseen is None:
        return ()
    blind = unseen.of(slot.attribute.name, {slot.entity}, None)
    holds = [
        (start, end)
        for start, end, value in stretches(episode.times, episode.values[:, slot.offset])
        if _partner(episode, slot, value) is not None
    ]
    not_known = Intervals(blind_span.span for blind_span in blind) - Intervals(holds)
    return not_known.within(Interval(episode.start_ns, episode.end_ns))


def _partner(episode: Episode, slot: Slot, value: float) -> str | None:
    """Return the text of a predicate's bar: the other entity of a relation, otherwise empty; None for no bar."""
    if slot.attribute.meaning is Meaning.TRUTH:
        return "" if value > 0.5 else None
    index = int(value) if np.isfinite(value) else -1
    entities = episode.layout.entities
    return entities[index].name if 0 <= index < len(entities) else None


def stretches(times: NDArray[np.int64], values: Floats) -> list[tuple[int, int, float]]:
    """Split a series into stretches of constant value.

    Args:
        times: (n,) times [ns].
        values: (n,) values, each valid until the next time.

    Returns:
        Begin [ns], end [ns] and value of each stretch.
    """
    changes = np.flatnonzero(values[1:] != values[:-1]) + 1
    begins = [0, *changes.tolist()]
    ends = [*changes.tolist(), len(values) - 1]
    return [
        (int(times[begin]), int(times[end]), float(values[begin]))
        for begin, end in zip(begins, ends, strict=True)
    ]


def _handling_times_s(episode: Episode, thing: str | None) -> list[float]:
    """Return the times at which an object was handled [s]; None: any object. At most `_MAX_EVENTS`."""
    times = [
        event.time_ns / 1e9
        for event in episode.events
        if is_handling(event) and thing in (None, event.arguments.get("object"))
    ]
    return times[:_MAX_EVENTS]


_MAX_POINTS = 400
_AT_REST = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


class _BoundingBox(NamedTuple):
    low: Floats
    high: Floats


def clearance(episode: Episode, entity: str) -> Floats | None:
    """Return (n,) heights of an object's lowest point above the highest static surface below its origin [m].

    Static shapes are approximated by their bounding boxes. The height is negative where the object penetrates the
    surface, and NaN where no static surface is below it. None if the object has no shape.
    """
    shapes = [s for s in episode.layout.entity(entity).shapes if s.collides and _is_solid(s)]
    if not shapes:
        return None
    pose = episode.pose(entity)
    w, x, y, z = pose[:, 3:7].T
    third_row = np.stack(
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1
    )
    lowest = pose[:, 2] + np.min([_lowest(shape, third_row) for shape in shapes], axis=0)
    support = np.full(len(pose), -np.inf)
    for top in _static_boxes(episode):
        under = ((pose[:, :2] >= top.low[:2]) & (pose[:, :2] <= top.high[:2])).all(axis=1)
        under &= pose[:, 2] > top.high[2]
        support = np.where(under, np.maximum(support, top.high[2]), support)
    return np.where(np.isfinite(support), lowest - support, np.nan)


def _static_boxes(episode: Episode) -> list[_BoundingBox]:
    tops = []
    for entity in episode.layout.of_kind(EntityKind.STATIC):
        has_pose = episode.layout.has(entity.name, "pose")
        pose = episode.pose(entity.name)[0, :7] if has_pose else _AT_REST
        for shape in entity.shapes:
            if shape.kind is ShapeKind.PLANE:
                height = float(pose[2] + shape.pose[2])
                tops.append(_BoundingBox(np.full(3, -np.inf), np.array([np.inf, np.inf, height])))
            elif shape.collides and _is_solid(shape):
                axes = quat2mat(pose[3:7])
                low, high = pose[:3] + _lowest(shape, axes), pose[:3] - _lowest(shape, -axes)
                tops.append(_BoundingBox(low, high))
    return tops


def _is_solid(shape: Shape) -> bool:
    return shape.kind is not ShapeKind.PLANE and (
        shape.kind is not ShapeKind.MESH or (shape.vertices is not None and len(shape.vertices) > 0)
    )


def _lowest(shape: Shape, directions: Floats) -> Floats:
    """Return (n,) the minimum of the dot products of a shape's points with each of (n, 3) unit directions.

    Points and directions are in the frame of the shape's entity.
    """
    middle = directions @ np.asarray(shape.pose[:3])
    local = directions @ quat2mat(shape.pose[3:7])
    size = np.asarray(shape.size, np.float64)
    flat = np.linalg.norm(local[:, :2], axis=1)
    match shape.kind:
        case ShapeKind.BOX:
            reach = np.abs(local) @ (size / 2)
        case ShapeKind.SPHERE:
            reach = np.full(len(local), size[0])
        case ShapeKind.ELLIPSOID:
            reach = np.linalg.norm(local * size, axis=1)
        case ShapeKind.CYLINDER:
            reach = size[0] * flat + size[1] / 2 * np.abs(local[:, 2])
        case ShapeKind.CAPSULE:
            reach = size[0] + size[1] / 2 * np.abs(local[:, 2])
        case _:
            assert shape.vertices is not None
            points = shape.vertices[:: max(1, len(shape.vertices) // _MAX_POINTS)]
            reach = -(local @ points.T).min(axis=1)
    lowest: Floats = middle - reach
    return lowest


_PARTS = {EXTERNAL_WRENCH.name: ("fx", "fy", "fz", "tx", "ty", "tz")}
"""Attribute -> names of its numbers."""
_MAX_LINES = 8
_MAX_PLOTS = 12


def attribute_plots(episode: Episode) -> Iterator[Plot]:
    """Yield a plot for each attribute that models other than the main one compute, with a line for each entity.

    Of many numbers, those that change most are drawn. Not included are poses, predicates and attributes of the robot's
    watcher, which have other plots, and consistency, which has none.
    """
    found: dict[tuple[str, str], list[Slot]] = {}
    for slot in episode.layout.slots:
        if _is_computed(episode, slot):
            found.setdefault((slot.attribute.name, slot.attribute.unit), []).append(slot)
    for (name, unit), slots in list(found.items())[:_MAX_PLOTS]:
        plot = _plot(episode, name, unit, slots)
        if plot is not None:
            yield plot


def _is_computed(episode: Episode, slot: Slot) -> bool:
    if (
        slot.attribute.name in (POSE.name, CONSISTENCY.name)
        or slot.attribute.meaning is not Meaning.QUANTITY
    ):
        return False
    main = {model.name for model in episode.models if model.main} | {WATCHER}
    spans = episode.responsibilities.get((slot.entity, slot.attribute.name), ())
    return any(span.model not in main for span in spans)


def _plot(episode: Episode, name: str, unit: str, slots: list[Slot]) -> Plot | None:
    """Return the plot of an attribute; None if it never has a finite value."""
    series = {
        label: values for slot in slots for label, values in _series(episode, slot, len(slots) > 1)
    }
    series = {label: values for label, values in series.items() if np.isfinite(values).any()}
    if not series:
        return None
    words = name.replace("_", " ")
    chosen = sorted(series, key=lambda label: -_change(series[label]))[:_MAX_LINES]
    shown = {label: series[label] for label in series if label in chosen}
    tooltip_unit = "" if "," in unit else unit
    lines = list(lines_over(episode, shown, SERIES, unit=tooltip_unit, decimals=-1))
    models = sorted({span.model for s in slots for span in _spans(episode, s)})
    omitted = len(series) - len(shown)
    text = f"Computed by {', '.join(models)}." + (
        f" {omitted} that change less are left out." if omitted else ""
    )
    about = slots[0].entity if len(slots) == 1 else f"{len(slots)} things"
    times = [event.time_ns / 1e9 for event in own_events(episode) if event.source in models]
    panel = Panel(lines, Axis(f"{words} [{unit}]" if unit else words))
    marks = times if len(times) <= _MAX_EVENTS else []
    drawn = Chart([panel], time_span(episode), height=220, marks=marks, legend=len(shown) > 1)
    return Plot(f"{words.capitalize()} of {about}", text, drawn)


def _spans(episode: Episode, slot: Slot) -> list[Span]:
    return list(episode.responsibilities.get((slot.entity, slot.attribute.name), ()))


def _series(episode: Episode, slot: Slot, several: bool) -> Iterator[tuple[str, Floats]]:
    """Yield label and (n,) values of each number of an attribute."""
    values = episode.attribute(slot.entity, slot.attribute.name)
    names = _PARTS.get(slot.attribute.name) or episode.layout.entity(slot.entity).joints
    for i, column in enumerate(values.T):
        part = names[i] if len(names) == slot.attribute.size else f"{i + 1}"
        parts = ([slot.entity] if several else []) + ([part] if slot.attribute.size > 1 else [])
        yield " · ".join(parts) or slot.entity, column


def _change(values: Floats) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if len(finite) else 0.0
