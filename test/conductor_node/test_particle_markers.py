"""Particles of a scene as markers for RViz."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.scene_of import scene_of
from visualization_msgs.msg import Marker

from conductor_node.markers import MarkerWriter
from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Floats, Meaning, pose_value

SPEC = AttributeSpec("particles", 14, "", Meaning.PARTICLES)


def marker_of(rows: Floats) -> Marker:
    turned = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    scene = scene_of(
        [Entity("jug", EntityKind.OBJECT)],
        {"jug": pose_value((1.0, 2.0, 3.0), turned).data},
        attributes=[("jug", SPEC)],
    )
    scene.values[scene.layout.range_of("jug", "particles")] = rows.ravel()
    (marker,) = MarkerWriter(scene.layout).markers(scene).markers
    return marker


def test_they_are_one_list_of_spheres_in_the_cups_place() -> None:
    marker = marker_of(np.array([[0.1, 0, 0.2, 0, 0, 0, 0.006], [0] * 7]))
    assert (marker.type, marker.action) == (Marker.SPHERE_LIST, Marker.ADD)
    assert [(p.x, p.y, p.z) for p in marker.points] == [(0.1, 0.0, 0.2)]
    assert marker.scale.x == pytest.approx(0.012)
    assert (marker.pose.position.x, marker.pose.orientation.z) == pytest.approx(
        (1.0, math.sqrt(0.5))
    )


def test_without_particles_the_marker_goes() -> None:
    assert marker_of(np.zeros((2, 7))).action == Marker.DELETE
