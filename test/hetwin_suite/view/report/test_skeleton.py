"""Robots without geometry."""

from __future__ import annotations

import numpy as np
import pytest
from support.made_episode import made_episode, poses

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite.view.report.skeleton import bones, skeleton_corners
from hetwin_suite.view.report.stage import Stage

CUBE = (Shape(ShapeKind.BOX, (0.2, 0.2, 0.2)),)
NAMES = ("base", "upper", "fore", "tip")


def links(drawn: set[str]) -> list[Entity]:
    """A chain of four links, each of which has a shape or none."""
    chain = zip(NAMES, ("", *NAMES), strict=False)
    return [
        Entity("arm", EntityKind.ROBOT, joints=NAMES[1:]),
        *[
            Entity(
                name,
                EntityKind.LINK,
                owner="arm",
                parent=parent,
                joint=name if parent else "",
                shapes=CUBE if name in drawn else (),
            )
            for name, parent in chain
        ],
    ]


def layout(drawn: set[str]) -> Layout:
    return Layout.build(links(drawn), [(name, POSE) for name in NAMES])


def test_a_robot_without_geometry_gets_bones() -> None:
    assert bones(layout({"base"})) == [("base", "upper"), ("upper", "fore"), ("fore", "tip")]


def test_a_robot_with_geometry_gets_none_though_some_links_are_bare() -> None:
    assert bones(layout({"base", "upper", "tip"})) == []


def test_bones_reach_from_frame_to_frame_and_have_a_volume() -> None:
    start, end = np.array([0.0, 0.0, 0.2]), np.array([0.3, 0.4, 0.2])
    corners = skeleton_corners([(start, end)])
    assert corners.shape[1:] == (3, 3)
    low, high = corners.reshape(-1, 3).min(axis=0), corners.reshape(-1, 3).max(axis=0)
    assert (low <= np.minimum(start, end)).all()
    assert (high >= np.maximum(start, end)).all()
    assert high[2] - low[2] == pytest.approx(0.09, abs=0.02)


def test_two_frames_at_one_place_are_no_bone() -> None:
    assert np.isfinite(skeleton_corners([(np.zeros(3), np.zeros(3))])).all()


def test_it_is_in_the_picture() -> None:
    places = {(name, POSE): poses((0.0, 0.0, 0.3 * i)) for i, name in enumerate(NAMES)}
    stage = Stage(made_episode(links(set()), places))
    (body,) = stage.bodies(0)
    assert body.corners[:, :, 2].max() > 0.9
    assert {entity.name for entity in stage.entities} == set(NAMES)
