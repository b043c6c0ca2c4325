"""From where a still picture is taken: across from the robot, as near as moving bodies allow, and not behind a wall."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from hetwin_suite.view.film.film import Body, Film, Part, Scene
from hetwin_suite.view.stills.drawing import FIELD_DEG, HEIGHT, WIDTH, Drawing, View

_ELEVATION_DEG = -26.0
_ACROSS_DEG = 128.0
"""Between the direction from the robot's base to moving bodies, and the one in which the camera looks."""
_TURNS_DEG = (0.0, 104.0, 180.0, -76.0)
_MUCH_MORE = 1.5
"""Another place than the first must show so many times as much of moving bodies."""
_WORTH = {EntityKind.OBJECT: 3, EntityKind.LINK: 1}
_THING = 10
_MARGIN = 0.88
_MOVED_M = 0.01
_LARGEST_M = 20.0
_SMALLEST_M = 0.05
_SAMPLES = 40
_PIXELS = (155, 102)
_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


def views(film: Film, indices: Sequence[int], thing: str = "") -> list[View]:
    """A view of each of some states, all from the same side, with the robot and all objects that move.

    Args:
        film: to draw.
        indices: of its states.
        thing: that must not be hidden, if any.
    """
    movers = _movers(film, thing)
    seen = [_corners(film, movers, index) for index in indices]
    base = next((i for i, b in enumerate(film.scene.bodies) if b.kind == EntityKind.LINK), None)
    away = np.zeros(2) if base is None else _middle(np.concatenate(seen))[:2]
    if base is not None:
        away = away - film.poses[0, base, :2]
    across = math.degrees(math.atan2(away[1], away[0])) if np.linalg.norm(away) > 0.05 else -8.0
    azimuths = [across + _ACROSS_DEG + turn for turn in _TURNS_DEG]
    azimuth = _best(film, indices[-1], movers, thing, azimuths)
    return [fitted(points, azimuth) for points in seen]


def fitted(points: Floats, azimuth: float, elevation: float = _ELEVATION_DEG) -> View:
    """The nearest view in a direction [degrees] that shows all of (n, 3) points."""
    centre = _middle(points)
    a, e = math.radians(azimuth), math.radians(elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([math.sin(a), -math.cos(a), 0.0])
    x, y, z = ((points - centre) @ axis for axis in (right, np.cross(right, forward), forward))
    room = math.tan(math.radians(FIELD_DEG / 2)) * _MARGIN
    away = max((np.abs(y) / room - z).max(), (np.abs(x) / room * HEIGHT / WIDTH - z).max())
    cx, cy, cz = (float(value) for value in centre)
    return View((cx, cy, cz), max(float(away), 2 * _SMALLEST_M), azimuth, elevation)


def outline(film: Film, name: str, index: int) -> Floats:
    """(n, 3) corners around an entity at a state, in the world; none if it is not drawn or nowhere."""
    number = next((i for i, body in enumerate(film.scene.bodies) if body.name == name), -1)
    return _placed(film, number, index) if number >= 0 else np.empty((0, 3))


def _best(
    film: Film, index: int, movers: Sequence[int], thing: str, azimuths: Sequence[float]
) -> float:
    """The first direction, unless another one shows much more of moving bodies."""
    worth = np.zeros(len(film.scene.bodies) + 1)
    for i in movers:
        body = film.scene.bodies[i]
        worth[i] = _THING if body.name == thing else _WORTH.get(EntityKind(body.kind), 0)
    points = _corners(film, movers, index)
    with Drawing(film.scene, *_PIXELS) as drawing:
        drawing.put(film.poses[index], np.full(len(film.scene.bodies), -1, np.int32))
        shown = [worth[drawing.seen(fitted(points, one))].sum() for one in azimuths]
    better = int(np.argmax(shown))
    return azimuths[better if shown[better] > _MUCH_MORE * shown[0] else 0]


def _movers(film: Film, thing: str) -> list[int]:
    """The bodies that are drawn and move, all links of moving robots, and the thing; else all that are drawn."""
    bodies = film.scene.bodies
    samples = np.unique(np.linspace(0, len(film.times) - 1, _SAMPLES).round().astype(int))
    with np.errstate(invalid="ignore"):
        far = np.linalg.norm(np.ptp(film.poses[samples, :, :3], axis=0), axis=1) > _MOVED_M
    links = any(far[i] and body.kind == EntityKind.LINK for i, body in enumerate(bodies))
    found = [
        i
        for i, body in enumerate(bodies)
        if (far[i] and body.kind == EntityKind.OBJECT)
        or (links and body.kind == EntityKind.LINK)
        or body.name == thing
    ]
    drawn = [i for i in found if any(part.drawn for part in bodies[i].parts)]
    return drawn or [i for i, body in enumerate(bodies) if any(part.drawn for part in body.parts)]


def _corners(film: Film, movers: Sequence[int], index: int) -> Floats:
    found = np.concatenate([np.empty((0, 3)), *(_placed(film, i, index) for i in movers)])
    near = found[(np.abs(found) < _LARGEST_M).all(axis=1)]
    return near if len(near) else _SMALLEST_M * _SIGNS


def _placed(film: Film, number: int, index: int) -> Floats:
    x, y, z, qx, qy, qz, qw = film.poses[index, number]
    local = _local(film.scene, film.scene.bodies[number])
    if not np.isfinite(film.poses[index, number]).all():
        return np.empty((0, 3))
    placed: Floats = local @ quat2mat((qw, qx, qy, qz)).T + np.array([x, y, z])
    return placed


def _local(scene: Scene, body: Body) -> Floats:
    """(n, 3) corners of the boxes around a body's parts, in its frame."""
    found = [np.empty((0, 3))]
    for part in body.parts:
        if part.drawn and part.kind != ShapeKind.PLANE:
            x, y, z, qx, qy, qz, qw = part.pose
            turned = _box(scene, part) @ quat2mat((qw, qx, qy, qz)).T
            found.append(turned + np.array([x, y, z]))
    return np.concatenate(found)


def _box(scene: Scene, part: Part) -> Floats:
    if part.mesh >= 0:
        points = scene.meshes[part.mesh].vertices
        low, high = points.min(axis=0), points.max(axis=0)
        return np.asarray((low + high) / 2 + _SIGNS * (high - low) / 2, np.float64)
    size = np.array(part.size)
    match part.kind:
        case ShapeKind.BOX:
            half = size / 2
        case ShapeKind.ELLIPSOID:
            half = size
        case ShapeKind.SPHERE:
            half = np.full(3, size[0])
        case _:
            long = size[1] / 2 + (size[0] if part.kind == ShapeKind.CAPSULE else 0.0)
            half = np.array([size[0], size[0], long])
    return _SIGNS * half


def _middle(points: Floats) -> Floats:
    middle: Floats = (points.min(axis=0) + points.max(axis=0)) / 2
    return middle
