"""How far inside the outline of what stands a thing falls."""

from __future__ import annotations

from importlib.util import find_spec
from math import sqrt

import numpy as np
import pytest

from hetwin_learning.outline import GRAVITY, Outline, has_outline
from hetwin_suite.model import Entity, EntityKind, Floats, Shape, ShapeKind

pytestmark = pytest.mark.skipif(
    find_spec("scipy") is None, reason="the extra learn is not installed"
)
QUARTER = (sqrt(0.5), 0.0, 0.0, sqrt(0.5))
"""A quarter of a turn about z."""


def at(*position: float, turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0), v: float = 0.0) -> Floats:
    """A pose with a twist, which is along x."""
    return np.array([*position, *turn, v, 0.0, 0.0, 0.0, 0.0, 0.0])


def standing(*shapes: Shape) -> Entity:
    return Entity("tray", EntityKind.STATIC, shapes=shapes)


def test_a_shape_stands_where_its_pose_puts_it() -> None:
    plate = Shape(ShapeKind.BOX, (0.4, 0.2, 0.02), pose=(1.0, 0.0, 0.5, *QUARTER))
    outline = Outline(standing(plate))
    assert outline.top == pytest.approx(0.51)
    here = at(0.0, 0.0, 0.0)
    assert outline.inside(here, at(1.0, 0.0, 0.51)) == pytest.approx(0.1)
    assert outline.inside(here, at(1.0, 0.18, 0.51)) == pytest.approx(0.02), "long along y"
    assert outline.inside(here, at(1.13, 0.0, 0.51)) == pytest.approx(-0.03), "short along x"


def test_a_turned_entity_turns_its_outline() -> None:
    outline = Outline(standing(Shape(ShapeKind.BOX, (0.4, 0.2, 0.02))))
    turned = at(2.0, 1.0, 0.3, turn=QUARTER)
    assert outline.inside(turned, at(2.0, 1.15, 0.31)) == pytest.approx(0.05)
    assert outline.inside(turned, at(2.15, 1.0, 0.31)) == pytest.approx(-0.05)


def test_what_moves_flies_on_while_it_falls() -> None:
    outline = Outline(standing(Shape(ShapeKind.BOX, (0.4, 0.4, 0.0))))
    falls_s = sqrt(2.0 * 0.5 / GRAVITY)
    found = outline.inside(at(0.0, 0.0, 0.0), at(0.0, 0.0, 0.5, v=0.3))
    assert found == pytest.approx(0.2 - 0.3 * falls_s)


@pytest.mark.parametrize("kind", [ShapeKind.CYLINDER, ShapeKind.CAPSULE])
def test_round_things_are_round_and_as_high_as_they_are(kind: ShapeKind) -> None:
    outline = Outline(standing(Shape(kind, (0.1, 0.3))))
    assert outline.top == pytest.approx(0.15 + (0.1 if kind is ShapeKind.CAPSULE else 0.0))
    for angle in np.linspace(0.0, 6.0, 5):
        edge = at(0.1 * np.cos(angle), 0.1 * np.sin(angle), outline.top)
        assert outline.inside(at(0.0, 0.0, 0.0), edge) == pytest.approx(0.0, abs=1e-3)


def test_what_has_no_end_or_does_not_collide_has_no_outline() -> None:
    shown = Shape(ShapeKind.BOX, (1.0, 1.0, 1.0), collides=False)
    floor = Shape(ShapeKind.PLANE, (1.0, 1.0))
    assert has_outline(standing(Shape(ShapeKind.SPHERE, (0.1,)), shown))
    assert not has_outline(standing(shown))
    assert not has_outline(standing(Shape(ShapeKind.SPHERE, (0.1,)), floor))
