"""Shapes, particles and owners as markers, from which Foxglove and RViz show the scene."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.scene_of import scene_of

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning, Shape, ShapeKind, pose_value
from hetwin_core.episodes.markers import (
    ParticleMessages,
    WorldMarkers,
    shape_markers,
    shown_entities,
)
from hetwin_core.episodes.messages import typestore
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
    cube, mesh = shape_markers(shown_entities(scene.layout), 5).markers
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
    assert shown_entities(scene.layout) == []


def test_particles_are_one_list_and_go_when_there_are_none() -> None:
    scene = scene_of(
        [Entity("jug", EntityKind.OBJECT)],
        {"jug": pose_value((1.0, 2.0, 3.0)).data},
        attributes=[("jug", PARTICLES)],
    )
    particles = ParticleMessages(scene.layout)
    assert not particles.empty
    where = scene.layout.range_of("jug", "particles")
    scene.values[where] = [0.1, 0.0, 0.2, 0.0, 0.0, 0.0, 0.006, *[0.0] * 7]
    (there,) = read(particles.fill(7, scene.values))
    assert (there.header.frame_id, there.action, len(there.points)) == ("jug", 0, 1)
    assert there.scale.x == pytest.approx(0.012)
    assert not particles.changed(scene.values)
    scene.values[where] = 0.0
    assert particles.changed(scene.values)
    (gone,) = read(particles.fill(7, scene.values))
    assert (gone.action, len(gone.points)) == (2, 0)


def read(data: memoryview) -> list[Any]:
    """The markers of an array."""
    found: Any = typestore().deserialize_cdr(bytes(data), "visualization_msgs/msg/MarkerArray")
    return list(found.markers)


TURNED = pose_value((1.0, 2.0, 3.0), (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))).data
"""A quarter of a turn to the left."""


def test_rviz_gets_shapes_and_particles_in_the_world() -> None:
    box = Shape(ShapeKind.BOX, (0.1, 0.2, 0.3), (0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    scene = scene_of(
        [Entity("jug", EntityKind.OBJECT, shapes=(box, TRIANGLE))],
        {"jug": TURNED},
        time_ns=1_500_000_000,
        attributes=[("jug", PARTICLES)],
    )
    writer, where = WorldMarkers(scene.layout), scene.layout.range_of("jug", "particles")
    assert [m.action for m in read(writer.fill(scene))] == [0, 0, 2]  # there are no particles
    scene.values[where] = [0.1, 0.0, 0.2, 0.0, 0.0, 0.0, 0.006, *[0.0] * 7]
    cube, mesh, cloud = read(writer.fill(scene))
    assert {m.header.frame_id for m in (cube, mesh, cloud)} == {"world"}
    assert {(m.header.stamp.sec, m.frame_locked) for m in (cube, mesh, cloud)} == {(1, False)}
    place, turn = cube.pose.position, cube.pose.orientation
    assert (place.x, place.y, place.z) == pytest.approx((1.0, 2.5, 3.0))
    assert (turn.w, turn.z) == pytest.approx((math.sqrt(0.5), math.sqrt(0.5)))
    assert (mesh.pose.position.y, len(mesh.points)) == (2.0, 3)
    assert [(p.x, p.y, p.z) for p in cloud.points] == [(0.1, 0.0, 0.2)]
    assert (cloud.pose.position.x, cloud.pose.orientation.z) == pytest.approx((1.0, turn.z))
    assert cloud.scale.x == pytest.approx(0.012)


def test_an_object_of_another_model_has_a_label_until_it_is_the_main_models_again() -> None:
    scene = scene_of([Entity("jug", EntityKind.OBJECT)], {"jug": TURNED})
    scene = replace(scene, models=("physics", "in_hand"))
    writer, slot = WorldMarkers(scene.layout, "physics"), scene.layout.slot_id("jug", "pose")
    assert read(writer.fill(scene)) == []
    scene.owners[slot] = 1
    (label,) = read(writer.fill(scene))
    assert (label.text, label.action, label.pose.position.z) == ("jug: in_hand", 0, 3.08)
    scene.owners[slot] = 0
    (gone,) = read(writer.fill(scene))
    assert (gone.ns, gone.id, gone.action) == (label.ns, label.id, 2)
    assert read(writer.fill(scene)) == []


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
