"""Still pictures of a run, for pages about many runs and for files."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.film import Film
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.stills.drawing import HEIGHT, WIDTH, Drawing, View
from hetwin_suite.view.stills.looking import fitted, outline, views

_SMALL = 0.16
"""Share of a picture's height; a thing that seems larger needs no closer look."""
_SIDE, _EDGE, _AROUND = 176, 10, 2.4
_LINE = (128, 136, 150)


class Moment(NamedTuple):
    """A time to draw.

    Attributes:
        time_ns: the time.
        what: the event then.
        thing: its subject; gets a closer look if it is small.
    """

    time_ns: int
    what: str
    thing: str = ""


class Still(NamedTuple):
    """A picture as pages embed it; `png` is base64."""

    time_ns: int
    what: str
    png: str


def stills(episode: Episode, moments: Sequence[Moment]) -> list[Still]:
    """Draw a run at some moments; empty if nothing of it has a shape.

    Raises:
        NoGraphics: if nothing can be drawn.
    """
    film = film_of(episode, [moment.time_ns for moment in moments])
    if not moments or not any(part.drawn for body in film.scene.bodies for part in body.parts):
        return []
    indices = [_index(film, moment.time_ns) for moment in moments]
    looked = views(film, indices, moments[-1].thing)
    drawn = []
    with Drawing(film.scene) as drawing:
        for moment, index, view in zip(moments, indices, looked, strict=True):
            image = picture(drawing, film, index, view)
            close = _closer(film, index, view, moment.thing)
            if close is not None:
                _inset(image, drawing.picture(close))
            drawn.append(Still(moment.time_ns, moment.what, _png(image)))
    return drawn


def picture(drawing: Drawing, film: Film, index: int, view: View) -> Image.Image:
    """Draw a state of a film, with the objects in the colours of the models responsible for them."""
    drawing.put(film.poses[index], _owners(film, float(film.times[index])))
    return Image.fromarray(drawing.picture(view))


def _index(film: Film, time_ns: int) -> int:
    """The state in which an event at a time can be seen: the first that is not earlier."""
    later = int(np.searchsorted(film.times, time_ns / 1e9 - 1e-9))
    return min(later, len(film.times) - 1)


def _owners(film: Film, time: float) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """(bodies,) the models responsible for poses, -1 for none."""
    owners = list(film.owners)
    for change in film.changes:
        if change.time <= time:
            owners[change.attribute] = change.model
    poses = {
        one.entity: owner
        for one, owner in zip(film.scene.attributes, owners, strict=True)
        if one.attribute == "pose"
    }
    return np.array([poses.get(body.name, -1) for body in film.scene.bodies], np.int32)


def _closer(film: Film, index: int, view: View, thing: str) -> View | None:
    """A view of a thing that seems small in another view; None if it does not, or is not there."""
    points = outline(film, thing, index) if thing else np.empty((0, 3))
    if not len(points):
        return None
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    close = fitted(middle + _AROUND * (points - middle), view.azimuth, view.elevation)
    return close if close.distance / _AROUND < _SMALL * view.distance else None


def _inset(
    image: Image.Image, pixels: np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
) -> None:
    """Put the middle of a closer look into the upper right corner of a picture."""
    cut = (WIDTH - HEIGHT) // 2
    square = Image.fromarray(pixels).crop((cut, 0, cut + HEIGHT, HEIGHT)).resize((_SIDE, _SIDE))
    left = image.width - _SIDE - _EDGE
    image.paste(square, (left, _EDGE))
    corners = [left, _EDGE, left + _SIDE, _EDGE + _SIDE]
    ImageDraw.Draw(image).rectangle(corners, outline=_LINE, width=2)


def _png(image: Image.Image) -> str:
    file = BytesIO()
    # 256 colours look the same and take a third of the space.
    image.quantize(256, method=Image.Quantize.MEDIANCUT).save(file, "PNG", compress_level=6)
    return base64.b64encode(file.getvalue()).decode("ascii")
