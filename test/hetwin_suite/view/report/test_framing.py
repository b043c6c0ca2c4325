"""Where the pictures are taken from: everything that moves is in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from support.made_episode import STATES, made_episode, poses, seconds

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_suite.view.report.framing import views
from hetwin_suite.view.report.stage import Stage, View

CUBE = (Shape(ShapeKind.BOX, (0.2, 0.2, 0.2)),)
ENTITIES = [
    Entity("arm", EntityKind.ROBOT),
    Entity("base", EntityKind.LINK, owner="arm", shapes=CUBE),
    Entity("tip", EntityKind.LINK, owner="arm", parent="base", shapes=CUBE),
    Entity("box", EntityKind.OBJECT, shapes=CUBE),
    Entity("far", EntityKind.STATIC, shapes=CUBE),
]
INDICES = [0, STATES // 2, STATES - 1]
STILL = (0.0, 0.0, 0.0)


def along(direction: tuple[float, float, float]) -> Floats:
    return np.outer(seconds() / 10.0, direction)


def plus(place: tuple[float, float, float], way: Floats) -> Floats:
    return np.array(place) + way


def stage(tip: Any = (0.5, 0.0, 0.5), box: Any = (0.6, 0.0, 0.0), base: Any = STILL) -> Stage:
    places = {
        ("base", POSE): poses(base),
        ("tip", POSE): poses(tip),
        ("box", POSE): poses(box),
        ("far", POSE): poses((6.0, 0.0, 0.0)),
    }
    return Stage(made_episode(ENTITIES, places))


def sees(view: View, points: Floats) -> bool:
    at, depth = view.camera.project(points)
    size = np.array([view.camera.width, view.camera.height])
    return bool(((at >= 0) & (at <= size)).all() and (depth > 0).all())


def test_the_whole_robot_is_seen_when_it_handles_nothing() -> None:
    scene = stage(tip=plus((0.5, 0.0, 0.5), along((0.0, 1.0, 0.5))))
    for index, view in zip(INDICES, views(scene, INDICES, whole=True), strict=True):
        for name in ("base", "tip"):
            assert sees(view, scene.outline(name, index))


def test_what_stands_far_away_is_in_the_first_picture_alone() -> None:
    scene = stage(tip=plus((0.5, 0.0, 0.5), along((0.0, 1.0, 0.5))))
    first, *others = views(scene, INDICES, whole=True)
    assert sees(first, scene.outline("far", 0))
    assert not any(sees(view, scene.outline("far", 0)) for view in others)
    assert others[0].camera.eye.tolist() == others[1].camera.eye.tolist()


def test_an_object_that_flew_away_is_seen_where_it_is() -> None:
    scene = stage(
        tip=plus((0.5, 0.0, 0.5), along((0.0, 0.1, 0.0))),
        box=plus((0.6, 0.0, 0.0), along((5.0, 0.0, 0.0))),
    )
    indices = [0, 10, STATES - 1]
    _, near, gone = views(scene, indices, whole=True)
    assert sees(near, scene.outline("box", 10))
    assert sees(gone, scene.outline("box", STATES - 1))
    assert sees(gone, scene.outline("base", 0))
    assert gone.radius > 3 * near.radius


def test_a_robot_that_drives_away_is_followed() -> None:
    way = along((12.0, 0.0, 0.0))
    scene = stage(base=way, tip=plus((0.5, 0.0, 0.5), way))
    found = views(scene, INDICES, whole=False)
    for index, view in zip(INDICES, found, strict=True):
        assert sees(view, scene.outline("tip", index))
        assert view.radius < 1.0


def test_without_motion_the_whole_scene_is_seen() -> None:
    scene = stage()
    assert all(sees(v, scene.outline("far", 0)) for v in views(scene, INDICES, whole=False))


def test_it_stands_where_what_moves_is_not_hidden() -> None:
    """Something large is put right before the camera's first place."""
    moves = plus((0.5, 0.0, 0.5), along((0.0, 0.3, 0.0)))

    def view(*things: Entity, at: Any = STILL) -> View:
        places = {
            ("base", POSE): poses(STILL),
            ("tip", POSE): poses(moves),
            **{(thing.name, POSE): poses(at) for thing in things},
        }
        return views(Stage(made_episode([*ENTITIES[:3], *things], places)), INDICES, whole=False)[1]

    free = view()
    screen = Entity("screen", EntityKind.STATIC, shapes=(Shape(ShapeKind.SPHERE, (0.5,)),))
    before = view(screen, at=(free.centre + free.camera.eye) / 2)
    behind = view(screen, at=2 * free.centre - free.camera.eye)
    assert np.dot(before.camera.axes[2], free.camera.axes[2]) < 0.5
    assert np.dot(behind.camera.axes[2], free.camera.axes[2]) > 0.999
