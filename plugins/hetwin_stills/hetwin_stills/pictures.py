"""Renders still pictures of a run at given times, with a view that shows the moving bodies."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw
from transforms3d.quaternions import quat2mat

from hetwin_stills.drawing import FIELD_DEG, HEIGHT, WIDTH, Drawing, View
from hetwin_suite.episode import Episode
from hetwin_suite.model import EntityKind, Floats, ShapeKind
from hetwin_suite.page import Body, Film, Part, Scene, film_of

_MIN_APPARENT_SIZE = 0.16
"""An object that appears smaller than this fraction of the picture gets an inset."""
_INSET_PIXELS, _INSET_MARGIN, _INSET_SCALE = 176, 10, 2.4
_INSET_FRAME = (128, 136, 150)


class Moment(NamedTuple):
    """A time to draw.

    Attributes:
        time_ns: simulated time [ns].
        caption: event at that time, as text.
        subject: subject of the event; an inset shows it enlarged if it appears small.
    """

    time_ns: int
    caption: str
    subject: str = ""


class Still(NamedTuple):
    """A picture as pages embed it; `png` is base64."""

    time_ns: int
    caption: str
    png: str


def stills(episode: Episode, moments: Sequence[Moment]) -> list[Still]:
    """Draw a run at some moments; empty if nothing in the run has a shape.

    Raises:
        NoGraphics: if pictures cannot be rendered here.
    """
    film = film_of(episode, [moment.time_ns for moment in moments])
    if not moments or not any(part.drawn for body in film.scene.bodies for part in body.parts):
        return []
    indices = [_state_index(film, moment.time_ns) for moment in moments]
    chosen = choose_views(film, indices, moments[-1].subject)
    drawn = []
    with Drawing(film.scene) as drawing:
        for moment, index, view in zip(moments, indices, chosen, strict=True):
            image = picture(drawing, film, index, view)
            close = _close_up(film, index, view, moment.subject)
            if close is not None:
                _inset(image, drawing.picture(close))
            drawn.append(Still(moment.time_ns, moment.caption, _png(image)))
    return drawn


def picture(drawing: Drawing, film: Film, index: int, view: View) -> Image.Image:
    """Draw a state of a film, with the objects in the colours of their responsible models."""
    drawing.set_state(film.poses[index], _owners(film, float(film.times[index])))
    return Image.fromarray(drawing.picture(view))


def _state_index(film: Film, time_ns: int) -> int:
    """Return the index of the state that shows an event: the first one at or after its time."""
    later = int(np.searchsorted(film.times, time_ns / 1e9 - 1e-9))
    return min(later, len(film.times) - 1)


def _owners(film: Film, time: float) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return (bodies,) the index of the model responsible for each pose, -1 for none."""
    owners = list(film.owners)
    for change in film.changes:
        if change.time <= time:
            owners[change.attribute] = change.model
    poses = {
        slot.entity: owner
        for slot, owner in zip(film.scene.attributes, owners, strict=True)
        if slot.attribute == "pose"
    }
    return np.array([poses.get(body.name, -1) for body in film.scene.bodies], np.int32)


def _close_up(film: Film, index: int, view: View, subject: str) -> View | None:
    """Return a closer view of an object that appears small; None if it appears large enough or does not exist."""
    points = box_corners(film, subject, index) if subject else np.empty((0, 3))
    if not len(points):
        return None
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    close = fit_view(middle + _INSET_SCALE * (points - middle), view.azimuth, view.elevation)
    return close if close.distance / _INSET_SCALE < _MIN_APPARENT_SIZE * view.distance else None


def _inset(
    image: Image.Image, pixels: np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
) -> None:
    """Insert the centre of a closer view into the upper right corner of a picture."""
    cut = (WIDTH - HEIGHT) // 2
    square = (
        Image.fromarray(pixels)
        .crop((cut, 0, cut + HEIGHT, HEIGHT))
        .resize((_INSET_PIXELS, _INSET_PIXELS))
    )
    left = image.width - _INSET_PIXELS - _INSET_MARGIN
    image.paste(square, (left, _INSET_MARGIN))
    corners = [left, _INSET_MARGIN, left + _INSET_PIXELS, _INSET_MARGIN + _INSET_PIXELS]
    ImageDraw.Draw(image).rectangle(corners, outline=_INSET_FRAME, width=2)


def _png(image: Image.Image) -> str:
    file = BytesIO()
    # 256 colours look the same and take a third of the space.
    image.quantize(256, method=Image.Quantize.MEDIANCUT).save(file, "PNG", compress_level=6)
    return base64.b64encode(file.getvalue()).decode("ascii")


_ELEVATION_DEG = -26.0
_ACROSS_DEG = 128.0
"""Angle between the viewing direction and the direction from the robot's base to the moving bodies [degrees]."""
_AZIMUTH_OFFSETS_DEG = (0.0, 104.0, 180.0, -76.0)
_MIN_GAIN = 1.5
"""Factor by which another direction must show more of the moving bodies than the first one to be chosen."""
_WEIGHTS = {EntityKind.OBJECT: 3, EntityKind.LINK: 1}
_SUBJECT_WEIGHT = 10
_MARGIN = 0.88
_MIN_MOTION_M = 0.01
_LARGEST_M = 20.0
_SMALLEST_M = 0.05
_SAMPLES = 40
_PREVIEW_PIXELS = (155, 102)
_CORNER_SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


def choose_views(film: Film, indices: Sequence[int], subject: str = "") -> list[View]:
    """Return a view for each state, all from the same direction, with the robot and all objects that move.

    Args:
        film: film to draw.
        indices: indices of the states.
        subject: object that must not be hidden; empty for none.
    """
    moving = _moving_bodies(film, subject)
    body_indices = [_corners(film, moving, index) for index in indices]
    base = next((i for i, b in enumerate(film.scene.bodies) if b.kind == EntityKind.LINK), None)
    distance = np.zeros(2) if base is None else _centre(np.concatenate(body_indices))[:2]
    if base is not None:
        distance = distance - film.poses[0, base, :2]
    across = (
        math.degrees(math.atan2(distance[1], distance[0]))
        if np.linalg.norm(distance) > 0.05
        else -8.0
    )
    azimuths = [across + _ACROSS_DEG + turn for turn in _AZIMUTH_OFFSETS_DEG]
    azimuth = _best_azimuth(film, indices[-1], moving, subject, azimuths)
    return [fit_view(points, azimuth) for points in body_indices]


def fit_view(points: Floats, azimuth: float, elevation: float = _ELEVATION_DEG) -> View:
    """Return the closest view in a direction [degrees] that shows all points (n, 3)."""
    centre = _centre(points)
    a, e = math.radians(azimuth), math.radians(elevation)
    forward = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    right = np.array([math.sin(a), -math.cos(a), 0.0])
    x, y, z = ((points - centre) @ axis for axis in (right, np.cross(right, forward), forward))
    room = math.tan(math.radians(FIELD_DEG / 2)) * _MARGIN
    distance = max((np.abs(y) / room - z).max(), (np.abs(x) / room * HEIGHT / WIDTH - z).max())
    cx, cy, cz = (float(value) for value in centre)
    return View((cx, cy, cz), max(float(distance), 2 * _SMALLEST_M), azimuth, elevation)


def box_corners(film: Film, name: str, index: int) -> Floats:
    """Return (n, 3) corners of an entity's boxes in the world at a state; empty if it is not drawn or has no pose."""
    number = next((i for i, body in enumerate(film.scene.bodies) if body.name == name), -1)
    return _world_corners(film, number, index) if number >= 0 else np.empty((0, 3))


def _best_azimuth(
    film: Film, index: int, moving: Sequence[int], subject: str, azimuths: Sequence[float]
) -> float:
    """Return the first direction, unless another one shows much more of the moving bodies."""
    weights = np.zeros(len(film.scene.bodies) + 1)
    for i in moving:
        body = film.scene.bodies[i]
        weights[i] = (
            _SUBJECT_WEIGHT if body.name == subject else _WEIGHTS.get(EntityKind(body.kind), 0)
        )
    points = _corners(film, moving, index)
    with Drawing(film.scene, *_PREVIEW_PIXELS) as drawing:
        drawing.set_state(film.poses[index], np.full(len(film.scene.bodies), -1, np.int32))
        shown = [weights[drawing.body_indices(fit_view(points, angle))].sum() for angle in azimuths]
    better = int(np.argmax(shown))
    return azimuths[better if shown[better] > _MIN_GAIN * shown[0] else 0]


def _moving_bodies(film: Film, subject: str) -> list[int]:
    """Return the drawn bodies that move, all links of moving robots, and the thing; without any, all drawn bodies."""
    bodies = film.scene.bodies
    samples = np.unique(np.linspace(0, len(film.times) - 1, _SAMPLES).round().astype(int))
    with np.errstate(invalid="ignore"):
        has_moved = (
            np.linalg.norm(np.ptp(film.poses[samples, :, :3], axis=0), axis=1) > _MIN_MOTION_M
        )
    links = any(has_moved[i] and body.kind == EntityKind.LINK for i, body in enumerate(bodies))
    found = [
        i
        for i, body in enumerate(bodies)
        if (has_moved[i] and body.kind == EntityKind.OBJECT)
        or (links and body.kind == EntityKind.LINK)
        or body.name == subject
    ]
    drawn = [i for i in found if any(part.drawn for part in bodies[i].parts)]
    return drawn or [i for i, body in enumerate(bodies) if any(part.drawn for part in body.parts)]


def _corners(film: Film, moving: Sequence[int], index: int) -> Floats:
    found = np.concatenate([np.empty((0, 3)), *(_world_corners(film, i, index) for i in moving)])
    near_points = found[(np.abs(found) < _LARGEST_M).all(axis=1)]
    return near_points if len(near_points) else _SMALLEST_M * _CORNER_SIGNS


def _world_corners(film: Film, number: int, index: int) -> Floats:
    x, y, z, qx, qy, qz, qw = film.poses[index, number]
    local = _local_corners(film.scene, film.scene.bodies[number])
    if not np.isfinite(film.poses[index, number]).all():
        return np.empty((0, 3))
    placed: Floats = local @ quat2mat((qw, qx, qy, qz)).T + np.array([x, y, z])
    return placed


def _local_corners(scene: Scene, body: Body) -> Floats:
    """Return (n, 3) the corners of the boxes around a body's parts, in its frame [m]."""
    found = [np.empty((0, 3))]
    for part in body.parts:
        if part.drawn and part.kind != ShapeKind.PLANE:
            x, y, z, qx, qy, qz, qw = part.pose
            rotated = _box_of_part(scene, part) @ quat2mat((qw, qx, qy, qz)).T
            found.append(rotated + np.array([x, y, z]))
    return np.concatenate(found)


def _box_of_part(scene: Scene, part: Part) -> Floats:
    if part.mesh >= 0:
        points = scene.meshes[part.mesh].vertices
        low, high = points.min(axis=0), points.max(axis=0)
        return np.asarray((low + high) / 2 + _CORNER_SIGNS * (high - low) / 2, np.float64)
    size = np.array(part.size)
    match part.kind:
        case ShapeKind.BOX:
            half = size / 2
        case ShapeKind.ELLIPSOID:
            half = size
        case ShapeKind.SPHERE:
            half = np.full(3, size[0])
        case _:
            half_length = size[1] / 2 + (size[0] if part.kind == ShapeKind.CAPSULE else 0.0)
            half = np.array([size[0], size[0], half_length])
    return _CORNER_SIGNS * half


def _centre(points: Floats) -> Floats:
    middle: Floats = (points.min(axis=0) + points.max(axis=0)) / 2
    return middle
