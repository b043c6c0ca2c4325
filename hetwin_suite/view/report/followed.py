"""Moments of a run worth a picture, and plots of the twin against the recording: joint deviations and efforts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import Handover
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.words import event_words, subject
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.figures import (
    Axis,
    Chart,
    Line,
    LineStyle,
    Panel,
    Plot,
    Tint,
    lines_over,
    time_span,
)
from hetwin_suite.view.palette import SERIES
from hetwin_suite.view.report.story.events import (
    ABSURD,
    SIGNALS,
    StoredConcern,
    is_handling,
    own_events,
    own_words,
    stored_concerns,
    thing_of,
)
from hetwin_suite.view.report.story.robots import EFFORT_RESIDUAL, JOINT_DEVIATION


def lanes(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Assign each span to the first free lane.

    Args:
        spans: begin and end of each span, sorted by begin.
    """
    busy: list[int] = []
    found = []
    for begin, end in spans:
        lane = next((i for i, until in enumerate(busy) if until <= begin), len(busy))
        busy[lane : lane + 1] = [end]
        found.append(lane)
    return found


def lane_name(name: str, index: int) -> str:
    """Return the name of a lane's row; the first lane has no number."""
    return name if index == 0 else f"{name} {index + 1}"


MAX_MOMENTS = 8
_MIN_MOMENTS = 4
_SAME_NS = 40_000_000
"""Maximum time between events that share a moment [ns]."""
_CONCERN_WEIGHT, _HANDLING_WEIGHT, _OTHER_EVENT_WEIGHT, _HANDOVER_WEIGHT = 8.0, 4.0, 2.0, 1.0
"""Weights of concerns, of handling, of other events of models, and of handovers."""


class Moment(NamedTuple):
    """A time worth a picture.

    Attributes:
        time_ns: simulated time [ns].
        what: descriptions of the events at that time.
        weight: importance.
        thing: entity concerned; empty if there is none.
    """

    time_ns: int
    what: tuple[str, ...]
    weight: float = 0.0
    thing: str = ""


def moments(episode: Episode, most: int = MAX_MOMENTS) -> list[Moment]:
    """Return at most `most` moments by time: start, concerns, handling, observations, handovers and end.

    Events close in time share a moment. If there are too many, concerns are preferred, then handling, then other
    observations, then handovers. If there are few, times in the longest gaps are added.
    """
    capacity = max(0, most - 2)
    chosen: list[Moment] = []
    for moment in [*_moments_of_concerns(episode), *_events(episode), *_handovers(episode)]:
        for i, other in enumerate(chosen):
            if abs(other.time_ns - moment.time_ns) <= _SAME_NS:
                chosen[i] = _merged(other, moment)
                break
        else:
            if len(chosen) < capacity:
                chosen.append(moment)
    start = Moment(episode.start_ns, ("start: the whole scene",))
    end = Moment(episode.end_ns, ("end",), 0.5)
    return _with_gap_moments(
        episode, _with_start_and_end(start, chosen, end), min(most, _MIN_MOMENTS)
    )


def _with_start_and_end(start: Moment, chosen: list[Moment], end: Moment) -> list[Moment]:
    """Return all moments by time; events at the start or the end are merged into these moments."""
    first = [moment for moment in chosen if moment.time_ns - start.time_ns <= _SAME_NS]
    last = [moment for moment in chosen if end.time_ns - moment.time_ns <= _SAME_NS]
    between = [moment for moment in chosen if moment not in first and moment not in last]
    for moment in first:
        start = Moment(start.time_ns, moment.what, moment.weight, moment.thing)
    for moment in last if last != first else ():
        end = Moment(end.time_ns, (*moment.what, *end.what), moment.weight, moment.thing)
    return [start, *sorted(between), end]


def _merged(moment: Moment, other: Moment) -> Moment:
    """Merge two moments; a handover is not mentioned together with a more important event."""
    if other.weight <= _HANDOVER_WEIGHT < moment.weight:
        return moment
    what = tuple(dict.fromkeys((*moment.what, *other.what)))
    return Moment(
        moment.time_ns, what, max(moment.weight, other.weight), moment.thing or other.thing
    )


def _moments_of_concerns(episode: Episode) -> list[Moment]:
    """Return the begin of each serious concern and, if it is about an object, also its end."""
    found = []
    for concern in stored_concerns(episode):
        if not concern.serious:
            continue
        weight = 2 * _CONCERN_WEIGHT if concern.severity == ABSURD else _CONCERN_WEIGHT
        thing = str(concern.arguments.get("object") or "")
        found.append(Moment(concern.from_ns, (concern.text,), weight, thing))
        if thing and concern.to_ns - concern.from_ns > _SAME_NS:
            found.append(Moment(concern.to_ns, (f"where {thing} went",), 1.0, thing))
    return found


def _events(episode: Episode) -> list[Moment]:
    """Return the handling events, later ones with more weight; then the first of each other observation."""
    span = max(1, episode.end_ns - episode.start_ns)
    handled = [
        Moment(
            e.time_ns,
            (event_words(e),),
            _HANDLING_WEIGHT + (e.time_ns - episode.start_ns) / span,
            subject(e) or "",
        )
        for e in episode.events
        if is_handling(e)
    ]
    first_reports: dict[str, Moment] = {}
    for event in own_events(episode):
        words = own_words(episode, event)
        thing = thing_of(episode, event) or ""
        late = (event.time_ns - episode.start_ns) / span
        weight = _HANDOVER_WEIGHT if event.name in SIGNALS else _OTHER_EVENT_WEIGHT + late
        first_reports.setdefault(words, Moment(event.time_ns, (words,), weight, thing))
    return [*handled, *first_reports.values()]


def _handovers(episode: Episode) -> list[Moment]:
    return [
        Moment(h.time_ns, (_handover_words(h),), _HANDOVER_WEIGHT, h.entity)
        for h in episode.handovers
    ]


def _handover_words(handover: Handover) -> str:
    return f"{handover.entity} {handover.attribute}: {handover.from_model} → {handover.to_model}"


def _with_gap_moments(episode: Episode, found: list[Moment], minimum: int) -> list[Moment]:
    """Add moments in the middle of the longest gaps until there are `minimum` moments."""
    while len(found) < minimum:
        gaps = [after.time_ns - before.time_ns for before, after in pairwise(found)]
        longest = max(range(len(gaps)), key=gaps.__getitem__)
        if gaps[longest] < (episode.end_ns - episode.start_ns) // 8 or gaps[longest] < _SAME_NS:
            break
        time_ns = found[longest].time_ns + gaps[longest] // 2
        running = [a.operation for a in episode.annotations if a.begin_ns <= time_ns < a.end_ns]
        words = ", ".join(dict.fromkeys(running)).replace("_", " ") or "in between"
        found.insert(longest + 1, Moment(time_ns, (words,), 0.9))
    return found


_EFFORTS = ("joint_efforts", "joint_effort")
_MAX_JOINTS = 6
_MIN_DEVIATION = 1e-5
"""Deviation of a joint below which it is not shown [rad or m]."""
_MAX_EFFORTS = 4
_PANEL_HEIGHT = 120
_EFFORT_CONCERNS = ("unexpected_effort", "unexplained_load")
_POSITION_CONCERNS = ("deviates", "jump")
_CONCERN_COLOUR = "#d65f5f"
_MIN_TINT = 0.004
"""Minimum width of a tint, as a fraction of the run's duration."""


def robot_plots(episode: Episode) -> Iterator[Plot]:
    """Yield for each watched robot the plots of its joint deviations and of its efforts, worst joints first."""
    for robot in episode.layout.of_kind(EntityKind.ROBOT):
        yield from _deviations(episode, robot.name)
        yield from _efforts(episode, robot.name)


def _deviations(episode: Episode, robot: str) -> Iterator[Plot]:
    values, names = _joint_values(episode, robot, JOINT_DEVIATION)
    order = _largest_columns(values, _MIN_DEVIATION)
    if not order:
        return
    shown = {names[joint]: 1e3 * values[:, joint] for joint in order[:_MAX_JOINTS]}
    worst = names[order[0]], float(np.nanmax(np.abs(values[:, order[0]])))
    text = f"Twin minus recording; {worst[0]} deviates most, by {1e3 * worst[1]:.3g} mrad or mm."
    omitted = len(order) - _MAX_JOINTS
    text += f" {omitted} joints that deviate less are left out." if omitted > 0 else ""
    tints = _tints(episode, _POSITION_CONCERNS, [names[i] for i in order])
    lines = list(lines_over(episode, shown, SERIES))
    panel = Panel(lines, Axis("deviation [mrad or mm]"), tints=tints)
    drawn = Chart([panel], time_span(episode), height=230)
    yield Plot(f"How {robot} followed its recording", text, drawn)


def _efforts(episode: Episode, robot: str) -> Iterator[Plot]:
    """Yield the plot of measured, expected and residual effort, with a panel for each of the worst joints."""
    residual, names = _joint_values(episode, robot, EFFORT_RESIDUAL)
    concerned_joints = {c.arguments.get("joint") for c in _concerns(episode, _EFFORT_CONCERNS)}
    order = sorted(
        _largest_columns(residual), key=lambda joint: names[joint] not in concerned_joints
    )[:_MAX_EFFORTS]
    if not order:
        return
    panels = [
        Panel(
            _effort_lines(episode, robot, residual, joint),
            Axis("N m or N"),
            names[joint],
            _tints(episode, _EFFORT_CONCERNS, [names[joint]]),
            share=1 / len(order),
        )
        for joint in order
    ]
    text = (
        "Measured effort, what the recorded motion needs, and the difference, in N m or N; "
        "the joints with the greatest difference."
    )
    if any(panel.tints for panel in panels):
        text += " Tinted where the difference is unusual: something that is not in the scene acts on the robot."
    drawn = Chart(panels, time_span(episode), height=_PANEL_HEIGHT * len(order))
    yield Plot(f"Efforts of {robot}", text, drawn)


def _effort_lines(episode: Episode, robot: str, residual: Floats, joint: int) -> list[Line]:
    measured = next(
        (v for v, _ in (_joint_values(episode, robot, n) for n in _EFFORTS) if v.size), None
    )
    difference = list(lines_over(episode, {"residual": residual[:, joint]}, SERIES[1:]))
    if measured is None or measured.shape != residual.shape:
        return difference
    expected = {"expected": measured[:, joint] - residual[:, joint]}
    return [
        *lines_over(episode, {"measured": measured[:, joint]}, SERIES),
        *lines_over(episode, expected, SERIES[2:], style=LineStyle.DOTTED),
        *difference,
    ]


def _joint_values(episode: Episode, robot: str, attribute: str) -> tuple[Floats, tuple[str, ...]]:
    """Return (n, joints) values and the joints' names; without columns if the scene lacks the attribute."""
    names = episode.layout.entity(robot).joints
    if not episode.layout.has(robot, attribute):
        return np.empty((len(episode.times), 0)), ()
    values = episode.attribute(robot, attribute)
    return (values, names) if values.shape[1] == len(names) else (values[:, :0], ())


def _largest_columns(values: Floats, threshold: float = 0.0) -> list[int]:
    """Return the columns whose largest absolute value exceeds a threshold, largest first."""
    known = np.where(np.isfinite(values), np.abs(values), 0.0)
    largest = known.max(axis=0, initial=0.0)
    return [int(i) for i in np.argsort(-largest, kind="stable") if largest[i] > threshold]


def _tints(episode: Episode, names: tuple[str, ...], joints: list[str]) -> list[Tint]:
    return [
        _tint(episode, concern)
        for concern in _concerns(episode, names)
        if concern.arguments.get("joint") in joints
    ]


def _concerns(episode: Episode, names: tuple[str, ...]) -> list[StoredConcern]:
    return [concern for concern in stored_concerns(episode) if concern.name in names]


def _tint(episode: Episode, concern: StoredConcern) -> Tint:
    min_width = _MIN_TINT * (episode.end_ns - episode.start_ns) / 1e9
    begin, end = concern.from_ns / 1e9, concern.to_ns / 1e9
    margin = max(0.0, min_width - (end - begin)) / 2
    return Tint(begin - margin, end + margin, _CONCERN_COLOUR)
