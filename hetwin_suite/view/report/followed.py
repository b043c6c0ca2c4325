"""Recorded against twin: how far the joints deviate, and efforts beside those that the motion needs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
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
    over,
)
from hetwin_suite.view.palette import SERIES
from hetwin_suite.view.report.story.concerns import StoredConcern, stored_concerns
from hetwin_suite.view.report.story.joints import EFFORT_RESIDUAL, JOINT_DEVIATION

_EFFORTS = ("joint_efforts", "joint_effort")
_MOST_JOINTS = 6
_LEAST_DEVIATION = 1e-5
"""Joints that deviate less [rad or m] are as good as where they should be."""
_MOST_EFFORTS = 4
_ROW = 120
_EFFORT_CONCERNS = ("unexpected_effort", "unexplained_load")
_POSITION_CONCERNS = ("deviates", "jump")
_STANDS_OUT = "#d65f5f"
_SHORTEST = 0.004
"""Least width of a mark, as a share of the run."""


def followed(episode: Episode) -> Iterator[Plot]:
    """For each robot that was watched: its joints' deviations, and its efforts, the worst joints first."""
    for robot in episode.layout.of_kind(EntityKind.ROBOT):
        yield from _deviations(episode, robot.name)
        yield from _efforts(episode, robot.name)


def _deviations(episode: Episode, robot: str) -> Iterator[Plot]:
    values, names = _of_joints(episode, robot, JOINT_DEVIATION)
    order = _worst(values, _LEAST_DEVIATION)
    if not order:
        return
    shown = {names[joint]: 1e3 * values[:, joint] for joint in order[:_MOST_JOINTS]}
    greatest = names[order[0]], float(np.nanmax(np.abs(values[:, order[0]])))
    text = (
        f"Twin minus recording; {greatest[0]} deviates most, by {1e3 * greatest[1]:.3g} mrad or mm."
    )
    left = len(order) - _MOST_JOINTS
    text += f" {left} joints that deviate less are left out." if left > 0 else ""
    tints = _tints(episode, _POSITION_CONCERNS, [names[i] for i in order])
    lines = list(lines_over(episode, shown, SERIES))
    panel = Panel(lines, Axis("deviation [mrad or mm]"), tints=tints)
    drawn = Chart([panel], over(episode), height=230)
    yield Plot(f"How {robot} followed its recording", text, drawn)


def _efforts(episode: Episode, robot: str) -> Iterator[Plot]:
    """Measured, expected and residual effort of the joints that stand out most, one under the other."""
    residual, names = _of_joints(episode, robot, EFFORT_RESIDUAL)
    named = {c.arguments.get("joint") for c in _concerns(episode, _EFFORT_CONCERNS)}
    order = sorted(_worst(residual), key=lambda joint: names[joint] not in named)[:_MOST_EFFORTS]
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
        text += (
            " Tinted where it stands out: something acts on the robot that the scene does not have."
        )
    drawn = Chart(panels, over(episode), height=_ROW * len(order))
    yield Plot(f"Efforts of {robot}", text, drawn)


def _effort_lines(episode: Episode, robot: str, residual: Floats, joint: int) -> list[Line]:
    measured = next(
        (v for v, _ in (_of_joints(episode, robot, n) for n in _EFFORTS) if v.size), None
    )
    left = list(lines_over(episode, {"residual": residual[:, joint]}, SERIES[1:]))
    if measured is None or measured.shape != residual.shape:
        return left
    expected = {"expected": measured[:, joint] - residual[:, joint]}
    return [
        *lines_over(episode, {"measured": measured[:, joint]}, SERIES),
        *lines_over(episode, expected, SERIES[2:], style=LineStyle.DOTTED),
        *left,
    ]


def _of_joints(episode: Episode, robot: str, attribute: str) -> tuple[Floats, tuple[str, ...]]:
    """(n, joints) values and the joints' names; without columns if the scene does not have them."""
    names = episode.layout.entity(robot).joints
    if not episode.layout.has(robot, attribute):
        return np.empty((len(episode.times), 0)), ()
    values = episode.attribute(robot, attribute)
    return (values, names) if values.shape[1] == len(names) else (values[:, :0], ())


def _worst(values: Floats, least: float = 0.0) -> list[int]:
    """The columns with a value beyond `least`, the one with the greatest first."""
    known = np.where(np.isfinite(values), np.abs(values), 0.0)
    greatest = known.max(axis=0, initial=0.0)
    return [int(i) for i in np.argsort(-greatest, kind="stable") if greatest[i] > least]


def _tints(episode: Episode, names: tuple[str, ...], joints: list[str]) -> list[Tint]:
    return [
        _tint(episode, concern)
        for concern in _concerns(episode, names)
        if concern.arguments.get("joint") in joints
    ]


def _concerns(episode: Episode, names: tuple[str, ...]) -> list[StoredConcern]:
    return [concern for concern in stored_concerns(episode) if concern.name in names]


def _tint(episode: Episode, concern: StoredConcern) -> Tint:
    wide = _SHORTEST * (episode.end_ns - episode.start_ns) / 1e9
    begin, end = concern.from_ns / 1e9, concern.to_ns / 1e9
    more = max(0.0, wide - (end - begin)) / 2
    return Tint(begin - more, end + more, _STANDS_OUT)
