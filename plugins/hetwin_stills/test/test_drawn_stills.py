"""Still pictures: what they show, compared with where things are."""

from __future__ import annotations

import base64
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from support.made_episode import STATES, made_episode, poses, seconds

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import POSE, Shape, ShapeKind
from hetwin_core.episodes.episode import Episode
from hetwin_stills.drawing import HEIGHT, WIDTH, Drawing, missing_packages
from hetwin_stills.pictures import Moment, choose_views, stills
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.palette import rgb

pytestmark = pytest.mark.skipif(bool(missing_packages()), reason=missing_packages())

SHAPES = [
    Shape(ShapeKind.BOX, (0.3, 0.3, 0.3), rgba=(0.9, 0.1, 0.1, 1.0)),
    Shape(ShapeKind.SPHERE, (0.15,), rgba=(0.9, 0.1, 0.1, 1.0)),
    Shape(ShapeKind.CYLINDER, (0.15, 0.3), rgba=(0.9, 0.1, 0.1, 1.0)),
    Shape(ShapeKind.CAPSULE, (0.1, 0.15), rgba=(0.9, 0.1, 0.1, 1.0)),
    Shape(
        ShapeKind.MESH,
        rgba=(0.9, 0.1, 0.1, 1.0),
        vertices=0.3 * np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) - 0.1,
        faces=np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], np.int32),
    ),
]


def episode(shape: Shape, wall: float = 9.0, owner: str = "physics") -> Episode:
    """A thing that moves along x and then stands, and a wall beside it."""
    x = np.minimum(seconds() / 5.0, 1.0)
    entities = [
        Entity("thing", EntityKind.OBJECT, shapes=(shape,)),
        Entity("wall", EntityKind.STATIC, shapes=(Shape(ShapeKind.BOX, (4.0, 0.02, 4.0)),)),
    ]
    values = {
        ("thing", POSE): poses(np.column_stack([x, 0 * x, 0 * x])),
        ("wall", POSE): poses((0.5, wall, 0.0)),
    }
    return made_episode(entities, values, owners={("thing", "pose"): owner})


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.kind.value)
def test_each_kind_of_shape_is_seen_where_it_is(shape: Shape) -> None:
    film = film_of(episode(shape))
    (view,) = choose_views(film, [len(film.times) - 1])
    with Drawing(film.scene) as drawing:
        drawing.set_state(film.poses[-1], np.zeros(2, np.int32))
        body_indices = drawing.body_indices(view)
    rows, columns = np.nonzero(body_indices == 0)
    assert len(rows) > 0.02 * body_indices.size
    assert (rows.min() > 0, columns.min() > 0) == (True, True)
    assert (rows.max() < HEIGHT - 1, columns.max() < WIDTH - 1) == (True, True)


def test_an_object_has_the_colour_of_the_model_responsible_for_it() -> None:
    film = film_of(episode(SHAPES[0], owner="in_hand"))
    (view,) = choose_views(film, [0])
    with Drawing(film.scene) as drawing:
        drawing.set_state(film.poses[0], np.array([film.owners[0], -1], np.int32))
        picture, body_indices = drawing.picture(view), drawing.body_indices(view)
    colour = picture[body_indices == 0].mean(axis=0) / 255
    wanted = rgb(next(model.colour for model in film.scene.models if model.name == "in_hand"))
    assert np.argsort(colour).tolist() == np.argsort(wanted).tolist()


def test_one_does_not_look_through_a_wall() -> None:
    free, blocked = (
        choose_views(film_of(episode(SHAPES[0], wall)), [0])[0].azimuth for wall in (9.0, -0.5)
    )
    film = film_of(episode(SHAPES[0], -0.5))
    (view,) = choose_views(film, [0])
    with Drawing(film.scene) as drawing:
        drawing.set_state(film.poses[0], np.zeros(2, np.int32))
        assert (drawing.body_indices(view) == 0).sum() > 0.01 * WIDTH * HEIGHT
    assert free != blocked


def test_a_robot_without_geometry_is_drawn_as_bones() -> None:
    entities = [
        Entity("arm", EntityKind.ROBOT, joints=("elbow",)),
        Entity("base", EntityKind.LINK, owner="arm"),
        Entity("fore", EntityKind.LINK, owner="arm", parent="base", joint="elbow"),
        Entity("box", EntityKind.OBJECT, shapes=(SHAPES[0],)),
    ]
    places = {"base": (0.0, 0.0, 0.0), "fore": (0.0, 0.0, 0.6), "box": (0.6, 0.0, 0.0)}
    film = film_of(made_episode(entities, {(n, POSE): poses(p) for n, p in places.items()}))
    (view,) = choose_views(film, [0])
    numbers = {body.name: i for i, body in enumerate(film.scene.bodies)}
    nowhere = film.poses[0].copy()
    nowhere[numbers["fore"]] = np.nan
    pictures = []
    with Drawing(film.scene) as drawing:
        for state in (film.poses[0], nowhere):
            drawing.set_state(state, np.full(len(numbers), -1, np.int32))
            pictures.append(drawing.picture(view).astype(int))
    changed = (np.abs(pictures[0] - pictures[1]).max(axis=2) > 20).sum()
    assert changed > 200


def test_pictures_come_with_their_moments() -> None:
    moments = [Moment(0, "start", "thing"), Moment(10_000_000_000, "end", "thing")]
    drawn = stills(episode(SHAPES[1]), moments)
    assert [(one.time_ns, one.caption) for one in drawn] == [(0, "start"), (10_000_000_000, "end")]
    image = Image.open(BytesIO(base64.b64decode(drawn[0].png)))
    assert image.size == (WIDTH, HEIGHT)
    assert len(image.convert("RGB").getcolors(1 << 20) or ()) > 50


def test_a_scene_without_shapes_has_no_picture() -> None:
    bare = made_episode([Entity("thing", EntityKind.OBJECT)], {("thing", POSE): poses((0, 0, 0))})
    assert stills(bare, [Moment(0, "start")]) == []
    assert len(bare.times) == STATES
