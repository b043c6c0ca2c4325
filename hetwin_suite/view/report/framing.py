"""Where to look from, so that everything that moves is seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.painter import FINER
from hetwin_suite.view.report.raster import rasterize
from hetwin_suite.view.report.stage import HEIGHT, WIDTH, Stage, View

_MARGIN = 0.05
_LARGEST_M = 20.0
_SMALLEST_M = 0.05
_MOVED_M = 0.01
_SAMPLES = 40
_REACH = 1.5
"""Objects farther from the robot's middle than this many times its extent are seen only when they are there."""
_FOLLOW = 2.5
"""A camera follows what moves if all the places that it goes to are this many times its own size apart."""
_ELEVATION = math.radians(26.0)
_TURNS = (0.0, 104.0, 180.0, -76.0)
"""Places to stand at, in degrees around what moves from the first of them."""
_MUCH_MORE = 1.5
"""Another place than the first must show so many times as much of what moves."""
_SMALLER = 4
_WORTH: dict[EntityKind | None, int] = {EntityKind.OBJECT: 3, EntityKind.LINK: 1}


def views(stage: Stage, indices: Sequence[int], *, whole: bool) -> list[View]:
    """A view of each state, of what moves, the robot included.

    They all stand at the same place, across from the robot's base and a little to the side, so that the robot does
    not hide what it handles. Only where an object is far away at that time, the view is as wide as it takes; and a
    robot that drives away is followed.

    Args:
        stage: the scene.
        indices: indices of states.
        whole: let the first view show the whole scene.
    """
    everything = _whole(stage, indices[0])
    movers = _movers(stage)
    if not movers:
        return [_view(everything, _direction(stage, set(), indices, everything))] * len(indices)
    robot = [_points(stage, movers, i, EntityKind.LINK) for i in indices]
    objects = [_outlines(stage, movers, i, EntityKind.OBJECT) for i in indices]
    common = _finite(np.concatenate(robot)) if any(map(len, robot)) else np.empty((0, 3))
    if _far_apart(robot):
        common = np.empty((0, 3))
    seen = []
    for own, things in zip(robot, objects, strict=True):
        core = np.concatenate([common, own])
        near = [
            thing for other in objects for thing in other if len(common) and _is_near(thing, core)
        ]
        now = _finite(np.concatenate([core, *near, *things]))
        seen.append(now if len(now) else everything)
    towards = _direction(stage, movers, indices, np.concatenate(seen))
    return [_view(points, towards) for points in ([everything, *seen[1:]] if whole else seen)]


def _is_near(thing: Floats, core: Floats) -> bool:
    middle = (core.min(axis=0) + core.max(axis=0)) / 2
    reach = _REACH * float(np.linalg.norm(np.ptp(core, axis=0))) / 2
    return bool(np.linalg.norm(thing.mean(axis=0) - middle) < reach)


def _far_apart(robot: Sequence[Floats]) -> bool:
    """Whether the robot is at places that are too far from each other for one view."""
    sizes = [float(np.linalg.norm(np.ptp(points, axis=0))) for points in robot if len(points)]
    if not sizes:
        return False
    return float(np.linalg.norm(np.ptp(np.concatenate(robot), axis=0))) > _FOLLOW * max(sizes)


def _movers(stage: Stage) -> set[str]:
    """The objects of which any corner moves, and all links of the robots of which any link does."""
    samples = np.unique(np.linspace(0, stage.states - 1, _SAMPLES).round().astype(int))
    found = set()
    for entity in stage.entities:
        if entity.kind in (EntityKind.OBJECT, EntityKind.LINK):
            places = np.stack([stage.outline(entity.name, int(i)) for i in samples])
            with np.errstate(invalid="ignore"):
                far = np.linalg.norm(np.ptp(places, axis=0), axis=1)
            if (far > _MOVED_M).any():
                found.add(entity.name)
    robots = {e.owner for e in stage.entities if e.kind is EntityKind.LINK and e.name in found}
    return found | {
        e.name for e in stage.entities if e.kind is EntityKind.LINK and e.owner in robots
    }


def _outlines(stage: Stage, movers: set[str], index: int, kind: EntityKind) -> list[Floats]:
    return [
        stage.outline(entity.name, index)
        for entity in stage.entities
        if entity.kind is kind and entity.name in movers
    ]


def _points(stage: Stage, movers: set[str], index: int, kind: EntityKind) -> Floats:
    return np.concatenate([np.empty((0, 3)), *_outlines(stage, movers, index, kind)])


def _whole(stage: Stage, index: int) -> Floats:
    found = _finite(np.concatenate([stage.outline(e.name, index) for e in stage.entities]))
    return found if len(found) else np.zeros((1, 3))


def _finite(points: Floats) -> Floats:
    return points[np.isfinite(points).all(axis=1) & (np.abs(points) < _LARGEST_M).all(axis=1)]


def _view(points: Floats, towards: Floats) -> View:
    low, high = points.min(axis=0), points.max(axis=0)
    centre = (low + high) / 2
    radius = max(float(np.linalg.norm(high - low)) / 2, _SMALLEST_M)
    if radius == _SMALLEST_M:
        points = centre + _SMALLEST_M * np.concatenate([np.eye(3), -np.eye(3)])
    camera = Camera.fitted(points, towards, WIDTH * FINER, HEIGHT * FINER, _MARGIN)
    return View(camera, centre, radius)


def _direction(stage: Stage, movers: set[str], indices: Sequence[int], points: Floats) -> Floats:
    """Where to stand: across from the robot's base and a little to the side, unless what moves is hidden from there."""
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    angle, turns = math.radians(-60.0), _TURNS
    links = [e for e in stage.entities if e.kind is EntityKind.LINK]
    if links:
        away = centre[:2] - stage.pose(links[0].name, 0)[:2]
        if float(np.linalg.norm(away)) > 0.05:
            angle = math.atan2(away[1], away[0]) - math.radians(52.0)
    directions = [_towards(angle + math.radians(turn)) for turn in turns]
    looked = indices[len(indices) // 2], indices[-1]
    seen = [sum(_seen(stage, movers, i, points, d) for i in looked) for d in directions]
    better = max(range(len(seen)), key=seen.__getitem__)
    return directions[better if seen[better] > _MUCH_MORE * seen[0] else 0]


def _seen(stage: Stage, movers: set[str], index: int, points: Floats, towards: Floats) -> int:
    """How much of what moves a small picture shows, in pixels; those of an object count more than the robot's."""
    camera = Camera.fitted(points, towards, WIDTH // _SMALLER, HEIGHT // _SMALLER, _MARGIN)
    corners, owners = stage.corners(index)
    _, number = rasterize(corners, camera)
    shown = owners[number[number >= 0]]
    kinds = [e.kind if e.name in movers else None for e in stage.entities]
    worth = np.array([_WORTH.get(kind, 0) for kind in kinds])
    return int(worth[shown].sum())


def _towards(angle: float) -> Floats:
    level = math.cos(_ELEVATION)
    return np.array([level * math.cos(angle), level * math.sin(angle), math.sin(_ELEVATION)])
