"""Runs of shipped scenarios in this process, and the contents of their logs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.ensemble.scene.layout import Entity
from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.log_writer import RunLog

ROOT = Path(__file__).resolve().parents[2]


def twin_run(
    scenario: str | Path,
    out: Path,
    *,
    source: Path | None = None,
    scene: Mapping[str, Any] | None = None,
    duration: float | None = None,
) -> Episode:
    """Run a scenario with all its models in this process and open its log."""
    loaded = load_scenario(find_scenario(str(scenario)))
    options = RunOptions(None if source is None else str(source), scene or {}, None, duration)
    log = RunLog(out, state_rate=loaded.file.log.state_rate)
    summary = session(loaded, options=options, listeners=[log]).run()
    assert summary.error is None
    return Episode.open(out)


def times_of(episode: Episode, name: str) -> list[float]:
    """When events of this name happened, in s."""
    return [event.time_ns / 1e9 for event in episode.events if event.name == name]


def time_of(episode: Episode, name: str) -> float:
    """When the only event of this name happened, in s."""
    (time,) = times_of(episode, name)
    return time


def only_box(entity: Entity) -> Shape:
    """The one box that an entity collides with."""
    (shape,) = [s for s in entity.shapes if s.collides and s.kind is ShapeKind.BOX]
    return shape


def lowest(episode: Episode, name: str) -> Floats:
    """(n,) height of the lowest corner of a box-shaped entity."""
    shape = only_box(episode.layout.entity(name))
    half = np.array(shape.size) / 2
    corners = [
        np.array(shape.pose[:3]) + np.array(rotate(shape.pose[3:7], half * signs))
        for signs in np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).T.reshape(-1, 3)
    ]
    return np.array([min(p[2] + rotate(p[3:7], c)[2] for c in corners) for p in episode.pose(name)])


def top(episode: Episode, name: str) -> float:
    """Height of the highest upright box of an entity that stands still."""
    base = episode.pose(name)[0]
    return max(
        float(base[2] + s.pose[2] + s.size[2] / 2)
        for s in episode.layout.entity(name).shapes
        if s.collides and s.kind is ShapeKind.BOX
    )


def tilt_degrees(pose: Floats) -> float:
    """Angle between an entity's own z axis and the world's."""
    return float(np.degrees(np.arccos(min(1.0, rotate(pose[3:7], (0.0, 0.0, 1.0))[2]))))


def at(episode: Episode, values: Floats, seconds: float) -> Floats:
    """The value in the log at a time, or last before it."""
    return np.asarray(values[episode.index_at(round(seconds * 1e9))])


def overlap(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Intersection over union of two spans of time."""
    return (min(a[1], b[1]) - max(a[0], b[0])) / (max(a[1], b[1]) - min(a[0], b[0]))
