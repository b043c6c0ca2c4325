"""The closer look at something small."""

from __future__ import annotations

import numpy as np
from support.made_episode import made_episode, poses

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite.view.report.closeup import with_closeup
from hetwin_suite.view.report.framing import views
from hetwin_suite.view.report.stage import Stage

RED = (0.9, 0.1, 0.1, 1.0)
SLAB = Entity(
    "slab",
    EntityKind.STATIC,
    shapes=(Shape(ShapeKind.BOX, (2.0, 2.0, 0.1), rgba=(0.5, 0.5, 0.5, 1)),),
)


def reds(size: float, thing: str = "bead") -> tuple[int, int]:
    """Red pixels of the picture, without and with a closer look."""
    bead = Entity("bead", EntityKind.OBJECT, shapes=(Shape(ShapeKind.SPHERE, (size,), rgba=RED),))
    places = {("bead", POSE): poses((0.3, 0.0, 0.1)), ("slab", POSE): poses((0.0, 0.0, 0.0))}
    stage = Stage(made_episode([bead, SLAB], places))
    (view,) = views(stage, [0], whole=False)
    plain = stage.picture(0, view)

    def red(image: object) -> int:
        r, g, _, a = np.asarray(image).astype(int).transpose(2, 0, 1)
        return int(((r > 3 * g) & (a > 200) & (r > 60)).sum())

    return red(plain), red(with_closeup(stage, 0, view, thing, plain))


def test_a_small_thing_is_seen_large_as_well() -> None:
    plain, closer = reds(0.02)
    assert 0 < plain < 200
    assert closer > 15 * plain


def test_a_large_thing_and_one_that_is_not_drawn_need_none() -> None:
    plain, closer = reds(0.5)
    assert closer == plain > 1000
    plain, closer = reds(0.02, "nothing")
    assert closer == plain
