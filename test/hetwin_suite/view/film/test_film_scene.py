"""What a page draws of a layout: shapes for the eye, small meshes, each once."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, Shape, ShapeKind
from hetwin_suite.view.film.scene_of import MAX_FACES, scene_of, small_mesh

UNSEEN = (1.0, 1.0, 1.0, 0.0)
QUARTER_TURN = (0.1, 0.2, 0.3, np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))


def model(name: str, main: bool = False) -> ModelRecord:
    return ModelRecord("id", name, "type", "service", "after", 100.0, main, "here", 1)


def waves(side: int) -> Shape:
    """A mesh of 2 (side - 1)^2 triangles, 1 m wide."""
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    vertices = np.stack([x, y, 0.1 * np.sin(9 * x)], axis=2).reshape(-1, 3)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + side], axis=1)
    upper = np.stack([corner + 1, corner + side + 1, corner + side], axis=1)
    faces = np.concatenate([lower, upper]).astype(np.int32)
    return Shape(ShapeKind.MESH, vertices=vertices, faces=faces)


def test_shapes_for_the_eye_are_drawn_and_those_that_collide_are_there() -> None:
    seen = Shape(ShapeKind.BOX, (1.0, 1.0, 1.0), QUARTER_TURN, collides=False)
    solid = Shape(ShapeKind.SPHERE, (0.6,))
    hidden = Shape(ShapeKind.BOX, (9.0, 9.0, 9.0), rgba=UNSEEN, collides=False)
    layout = Layout.build(
        [Entity("box", EntityKind.OBJECT, shapes=(seen, solid, hidden))], [("box", POSE)]
    )
    (body,) = scene_of("made up", layout, [model("physics", main=True)]).bodies
    assert [(part.kind, part.drawn, part.collides) for part in body.parts] == [
        ("box", True, False),
        ("sphere", False, True),
    ]
    x, y, z, w, _, _, qz = QUARTER_TURN
    assert body.parts[0].pose == (x, y, z, 0.0, 0.0, qz, w)


def test_a_large_mesh_is_simplified_within_its_extent_and_kept_once() -> None:
    shape = waves(120)
    small = small_mesh(shape)
    assert small is not None
    assert 200 < len(small.faces) <= MAX_FACES
    assert shape.vertices is not None
    assert np.abs(small.vertices.min(axis=0) - shape.vertices.min(axis=0)).max() < 0.03
    assert np.abs(small.vertices.max(axis=0) - shape.vertices.max(axis=0)).max() < 0.03
    entities = [Entity(name, EntityKind.OBJECT, shapes=(shape,)) for name in ("one", "two")]
    layout = Layout.build(entities, [("one", POSE), ("two", POSE)])
    scene = scene_of("made up", layout, [model("physics", main=True)])
    assert [part.mesh for body in scene.bodies for part in body.parts] == [0, 0]
    assert len(scene.meshes) == 1


def test_a_mesh_without_triangles_is_left_out() -> None:
    empty = Shape(ShapeKind.MESH, vertices=np.empty((0, 3)), faces=np.empty((0, 3), np.int32))
    layout = Layout.build([Entity("ghost", EntityKind.OBJECT, shapes=(empty,))], [("ghost", POSE)])
    scene = scene_of("made up", layout, [model("physics", main=True)])
    assert scene.bodies[0].parts == ()
    assert scene.meshes == ()


def test_models_that_can_be_responsible_are_named_by_their_place() -> None:
    layout = Layout.build([Entity("box", EntityKind.OBJECT)], [("box", POSE)])
    models = [model("physics", main=True), model("in_hand")]
    scene = scene_of("made up", layout, models, {("box", "pose"): ["in_hand", "physics"]})
    assert scene.attributes[0].candidates == (1, 0)
    assert [actor.main for actor in scene.models] == [True, False]
    assert scene.models[0].colour != scene.models[1].colour


def test_a_robot_without_geometry_has_bones() -> None:
    links = ["base", "upper", "lower"]
    entities = [Entity("arm", EntityKind.ROBOT, joints=("shoulder", "elbow"))]
    for parent, name, joint in zip(["", *links], links, ["", "shoulder", "elbow"], strict=False):
        entities.append(Entity(name, EntityKind.LINK, owner="arm", parent=parent, joint=joint))
    layout = Layout.build(entities, [(name, POSE) for name in links])
    scene = scene_of("made up", layout, [model("physics", main=True)])
    names = [body.name for body in scene.bodies]
    assert [(names[a], names[b]) for a, b in scene.bones] == [
        ("base", "upper"),
        ("upper", "lower"),
    ]
