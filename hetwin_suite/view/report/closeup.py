"""A closer look at something small, in a corner of a picture."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.painter import FINER
from hetwin_suite.view.report.stage import Stage, View

_SIDE = 176
_EDGE = 10
_ROUND = 12
_SMALL = 0.16
"""Share of the picture's height; what seems larger needs no closer look."""
_AROUND = 2.4
"""The closer look is so many times as wide as the thing."""
_LINE = (128, 136, 150, 255)


def with_closeup(
    stage: Stage, index: int, view: View, thing: str, image: Image.Image
) -> Image.Image:
    """A picture with a closer look at a thing in that corner which shows least; as it is if the thing is not small.

    Args:
        stage: the scene.
        index: of the state that the picture shows.
        view: of the picture.
        thing: an entity; nothing is added if it is not drawn.
        image: the picture.
    """
    if not any(entity.name == thing for entity in stage.entities):
        return image
    outline = stage.outline(thing, index)
    if not np.isfinite(outline).all():
        return image
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    radius = float(np.linalg.norm(outline - middle, axis=1).max())
    at, depth = view.camera.project(middle[None])
    if depth[0] <= 0.0 or radius == 0.0:
        return image
    seems = radius * image.height / 2 / (view.camera.opening * float(depth[0]))
    x, y = (at[0] / FINER).tolist()
    inside = 0 <= x < image.width and 0 <= y < image.height
    if not inside or 2 * seems > _SMALL * image.height:
        return image
    camera = Camera.aimed(view.camera.eye, middle, _AROUND * radius, _SIDE * FINER)
    close = stage.picture(index, View(camera, middle, 2 * _AROUND * radius))
    return _pasted(image, close, (x, y), _AROUND * seems)


def _pasted(
    image: Image.Image, close: Image.Image, place: tuple[float, float], radius: float
) -> Image.Image:
    corner = _free_corner(image, place)
    mask = Image.new("L", close.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, _SIDE - 1, _SIDE - 1), _ROUND, fill=255)
    image = image.copy()
    image.paste(close, corner, mask)
    pen = ImageDraw.Draw(image)
    x, y = corner
    pen.rounded_rectangle((x, y, x + _SIDE - 1, y + _SIDE - 1), _ROUND, outline=_LINE, width=2)
    x, y = round(place[0]), round(place[1])
    size = max(9, round(radius))
    pen.rounded_rectangle((x - size, y - size, x + size, y + size), 5, outline=_LINE, width=2)
    return image


def _free_corner(image: Image.Image, place: tuple[float, float]) -> tuple[int, int]:
    """Left and top of the corner in which the picture shows least, and never the place that is looked at."""
    right, bottom = image.width - _SIDE - _EDGE, image.height - _SIDE - _EDGE
    cover = np.asarray(image)[:, :, 3] > 200

    def shows(corner: tuple[int, int]) -> float:
        x, y = corner
        hides = x - 20 < place[0] < x + _SIDE + 20 and y - 20 < place[1] < y + _SIDE + 20
        return float(cover[y : y + _SIDE, x : x + _SIDE].mean()) + 2.0 * hides

    return min([(right, _EDGE), (_EDGE, _EDGE), (right, bottom), (_EDGE, bottom)], key=shows)
