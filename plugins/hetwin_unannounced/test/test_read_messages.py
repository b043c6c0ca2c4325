"""Detections and collision objects, as plain values of their messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hetwin_unannounced.reading import parse_report


def pose(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> dict[str, Any]:
    return {
        "position": {"x": x, "y": y, "z": z},
        "orientation": {"w": 1.0, "x": 0.0, "y": 0.0, "z": 0.0},
    }


def collision(name: str, operation: int = 0, **shapes: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {
        "primitives": [],
        "primitive_poses": [],
        "meshes": [],
        "mesh_poses": [],
    }
    head = {"header": {"frame_id": "base"}, "id": name, "operation": operation}
    return {**head, "pose": pose(1.0), **empty, **shapes}


BOX = {"type": 1, "dimensions": [0.1, 0.2, 0.3]}


def test_a_collision_object_is_the_box_around_its_shapes() -> None:
    cylinder = {"type": 3, "dimensions": [0.4, 0.05]}
    shapes = {"primitives": [BOX, cylinder], "primitive_poses": [pose(), pose(0.0, 0.0, 0.35)]}
    (found,) = parse_report({"world": {"collision_objects": [collision("mug", **shapes)]}}).seen
    assert (found.kind, found.frame) == ("mug", "base")
    assert found.size.tolist() == pytest.approx([0.1, 0.2, 0.7])
    assert found.pose[:3].tolist() == pytest.approx([1.0, 0.0, 0.2])


def test_a_mesh_is_the_box_around_its_vertices() -> None:
    corners = [{"x": x, "y": y, "z": 0.0} for x in (0.0, 0.2) for y in (0.0, 0.1)]
    shapes = {"meshes": [{"vertices": corners}], "mesh_poses": [pose(0.1)]}
    (found,) = parse_report(collision("mat", **shapes)).seen
    assert found.size.tolist() == pytest.approx([0.2, 0.1, 0.0])
    assert found.pose[:2].tolist() == pytest.approx([1.2, 0.05])


def test_a_diff_takes_away_and_leaves_the_rest() -> None:
    gone = collision("mug", 1)
    moved = collision("mat", 3)
    found = parse_report({"is_diff": True, "world": {"collision_objects": [gone, moved]}})
    assert (found.gone, found.is_whole, found.names) == (("mug",), False, True)
    assert found.seen[0].kind == "mat"
    assert not found.seen[0].size.any()
    assert parse_report({"world": {"collision_objects": []}}).is_whole


def test_the_best_result_of_a_detection_counts() -> None:
    results = [
        {
            "hypothesis": {"class_id": name, "score": score},
            "pose": {"pose": pose(), "covariance": np.eye(6).ravel().tolist()},
        }
        for name, score in (("cup", 0.4), ("mug", 0.7))
    ]
    box = {"center": pose(0.5), "size": {"x": 0.1, "y": 0.1, "z": 0.2}}
    one = {"header": {"frame_id": ""}, "results": results, "bbox": box}
    (found,) = parse_report({"header": {"frame_id": "camera"}, "detections": [one]}).seen
    assert (found.kind, found.score, found.frame) == ("mug", 0.7, "camera")
    assert found.pose[0] == 0.5
    assert found.covariance.tolist() == np.eye(6).tolist()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"data": 3}, "expected a Detection3DArray"),
        (collision("mug", 7), "operation 7"),
        (
            collision("mug", primitives=[{"type": 9, "dimensions": []}], primitive_poses=[pose()]),
            "type 9",
        ),
        (
            collision(
                "mug", primitives=[{"type": 1, "dimensions": [1.0]}], primitive_poses=[pose()]
            ),
            r"dimensions \[1.0\]",
        ),
        (collision("mug") | {"pose": pose(None)}, "not finite"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_used_is_refused(message: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_report(message)
