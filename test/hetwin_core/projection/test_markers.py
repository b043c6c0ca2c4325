"""The shapes and particles of a log, from which Foxglove and RViz show the scene."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.scene_of import scene_of

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning, pose_value
from hetwin_core.projection.markers import ParticleMarkers, shape_markers
from hetwin_suite import run

PARTICLES = AttributeSpec("particles", 14, "", Meaning.PARTICLES)
TRIANGLE = Shape(
    ShapeKind.MESH,
    (1.0, 1.0, 1.0),
    vertices=np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]),
    faces=np.array([[0, 1, 2]], np.int32),
)


def test_a_shape_is_in_the_frame_of_its_entity() -> None:
    box = Shape(ShapeKind.BOX, (0.1, 0.2, 0.3), (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0))
    scene = scene_of(
        [Entity("crate", EntityKind.STATIC, shapes=(box, TRIANGLE))],
        {"crate": pose_value((1.0, 2.0, 3.0)).data},
    )
    cube, mesh = shape_markers(scene.layout, 5).markers
    assert (cube.header.frame_id, cube.frame_locked, cube.ns, cube.id) == (
        "crate",
        True,
        "crate",
        0,
    )
    assert (cube.pose.position.z, cube.scale.x, cube.scale.z) == (0.5, 0.1, 0.3)
    assert (mesh.id, mesh.type, len(mesh.points)) == (1, 11, 3)
    assert (mesh.points[1].x, mesh.points[2].y) == (1.0, 1.0)


def test_hands_and_concepts_have_no_shape() -> None:
    scene = scene_of([Entity("palm", EntityKind.HAND)], {"palm": pose_value((0.0, 0.0, 0.0)).data})
    assert shape_markers(scene.layout, 0).markers == []


def test_particles_are_one_list_and_go_when_there_are_none() -> None:
    scene = scene_of(
        [Entity("jug", EntityKind.OBJECT)],
        {"jug": pose_value((1.0, 2.0, 3.0)).data},
        attributes=[("jug", PARTICLES)],
    )
    particles = ParticleMarkers(scene.layout)
    assert not particles.empty
    where = scene.layout.range_of("jug", "particles")
    scene.values[where] = [0.1, 0.0, 0.2, 0.0, 0.0, 0.0, 0.006, *[0.0] * 7]
    (there,) = particles.markers(7, scene.values).markers
    assert (there.header.frame_id, there.action, len(there.points)) == ("jug", 0, 1)
    assert there.scale.x == pytest.approx(0.012)
    scene.values[where] = 0.0
    (gone,) = particles.markers(7, scene.values).markers
    assert (gone.action, len(gone.points)) == (2, 0)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The messages of a short run of the demo, by topic."""
    summary = run("pick_and_place", duration=0.1, out=tmp_path_factory.mktemp("log") / "run")
    return messages_of(summary.log)


def messages_of(path: Path) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    with AnyReader([path]) as reader:
        for connection, _, raw in reader.messages():
            found.setdefault(connection.topic, []).append(
                reader.deserialize(raw, connection.msgtype)
            )
    return found


def test_the_log_has_a_frame_for_each_shape(log: dict[str, list[Any]]) -> None:
    (shapes,) = log["/hetwin/markers"]
    moving = {t.child_frame_id for t in log["/tf"][0].transforms}
    fixed = {t.child_frame_id for t in log["/tf_static"][0].transforms}
    shown = {marker.header.frame_id for marker in shapes.markers}
    assert {"box", "table", "gripper_base"} <= shown <= moving | fixed
    assert "/hetwin/particles" not in log
