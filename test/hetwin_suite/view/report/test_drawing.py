"""Drawing without a graphics card, against what geometry says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples

from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_suite.view.report.camera import Camera
from hetwin_suite.view.report.painter import FINER, Body, paint
from hetwin_suite.view.report.raster import rasterize
from hetwin_suite.view.report.triangles import moved, shape_triangles

ORIGIN = np.zeros(3)


def volume(shape: Shape) -> float:
    mesh = shape_triangles(shape)
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    return float((np.cross(a, b) * c).sum() / 6)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Shape(ShapeKind.BOX, (1.0, 2.0, 3.0)), 6.0),
        (Shape(ShapeKind.SPHERE, (0.5,)), math.pi / 6),
        (Shape(ShapeKind.ELLIPSOID, (0.5, 1.0, 2.0)), 4 / 3 * math.pi),
        (Shape(ShapeKind.CYLINDER, (0.5, 2.0)), math.pi / 2),
        (Shape(ShapeKind.CAPSULE, (0.5, 2.0)), math.pi / 2 + math.pi / 6),
    ],
)
def test_shapes_are_closed_and_have_their_volume(shape: Shape, expected: float) -> None:
    assert volume(shape) == pytest.approx(expected, rel=0.03)


def test_a_shape_lies_at_its_pose() -> None:
    half = math.sqrt(0.5)
    shape = Shape(ShapeKind.BOX, (2.0, 1.0, 1.0), (5.0, 0.0, 0.0, half, 0.0, 0.0, half))
    vertices = shape_triangles(shape).vertices
    np.testing.assert_allclose(vertices.min(axis=0), [4.5, -1.0, -0.5], atol=1e-12)
    np.testing.assert_allclose(vertices.max(axis=0), [5.5, 1.0, 0.5], atol=1e-12)


def test_large_meshes_are_simplified_and_keep_their_form() -> None:
    n = 120
    u, v = np.meshgrid(np.linspace(0, 2 * math.pi, n), np.linspace(0, math.pi, n))
    points = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=2)
    index = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    faces = np.concatenate(
        [
            np.stack([index, index + n, index + 1], axis=1),
            np.stack([index + 1, index + n, index + n + 1], axis=1),
        ]
    ).astype(np.int32)
    mesh = shape_triangles(Shape(ShapeKind.MESH, vertices=points.reshape(-1, 3), faces=faces))
    assert 500 < len(mesh.faces) <= 4000
    radius = np.linalg.norm(mesh.vertices, axis=1)
    assert radius.min() > 0.93
    assert radius.max() < 1.01


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: np.dot(q, q) > 0.01))
def test_rotations_keep_lengths(quaternion: list[float]) -> None:
    q = np.array(quaternion) / np.linalg.norm(quaternion)
    matrix = moved(np.eye(3), np.array([0.0, 0.0, 0.0, *q])).T
    np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(matrix) == pytest.approx(1.0)


def camera(width: int = 64, height: int = 48) -> Camera:
    return Camera.around(ORIGIN, 1.0, np.array([1.0, -1.0, 0.7]), width, height)


@examples(40)
@given(st.integers(0, 2**32 - 1))
def test_each_pixel_sees_the_nearest_triangle(seed: int) -> None:
    """Against casting a ray through the middle of each pixel at each triangle."""
    view = camera(24, 18)
    random = np.random.default_rng(seed)
    centres = random.uniform(-0.8, 0.8, (6, 1, 3))
    corners = centres + random.uniform(-0.6, 0.6, (6, 3, 3)) * random.uniform(0.05, 1, (6, 1, 1))
    depth, number = rasterize(corners, view)
    rays = view.rays().reshape(-1, 3)
    nearest = np.full(len(rays), np.inf)
    sure = np.ones(len(rays), bool)
    for a, b, c in corners:
        matrix = np.stack(
            [np.broadcast_to(b - a, rays.shape), np.broadcast_to(c - a, rays.shape), -rays], axis=2
        )
        u, v, t = np.linalg.solve(matrix, np.broadcast_to(view.eye - a, rays.shape)[:, :, None])[
            :, :, 0
        ].T
        margin = np.minimum(np.minimum(u, v), 1 - u - v)
        sure &= np.abs(margin) > 1e-6
        nearest = np.where((margin > 0) & (t > 0), np.minimum(nearest, t), nearest)
    seen = depth.reshape(-1)
    np.testing.assert_allclose(seen[sure], nearest[sure], rtol=1e-4)
    assert ((number.reshape(-1) >= 0) == np.isfinite(seen)).all()


def test_what_is_behind_the_camera_is_not_seen() -> None:
    view = camera()
    behind = view.eye - view.axes[2] + np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0.5]]])
    _, number = rasterize(behind, view)
    assert (number == -1).all()


def test_pixels_and_points_agree() -> None:
    view = camera()
    point = np.array([[0.3, -0.2, 0.1]])
    at, depth = view.project(point)
    column, row = np.floor(at[0]).astype(int)
    back = view.points(np.array([column]), np.array([row]), depth.astype(np.float32))
    assert np.abs(back - point).max() < 2.0 / 48


def test_a_body_has_its_colour_a_shadow_and_if_wanted_an_outline() -> None:
    view = camera(120 * FINER, 90 * FINER)
    mesh = shape_triangles(Shape(ShapeKind.BOX, (0.5, 0.5, 0.5)))
    corners = moved(mesh.vertices, (0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0))[mesh.faces]

    def picture(outlined: bool) -> np.ndarray:
        body = Body(corners, (0.9, 0.1, 0.1), outlined)
        return np.asarray(paint([body], view, -0.6, ORIGIN, 2.0)).astype(int)

    plain, outlined = picture(False), picture(True)
    middle = plain[45, 60]
    assert middle[3] == 255
    assert middle[0] > 3 * middle[1]
    solid = plain[:, :, 3] == 255
    assert 0.03 < solid.mean() < 0.4
    assert (outlined[:, :, 3] == 255).sum() > solid.sum() * 1.05
    empty = np.asarray(paint([], view, -0.6, ORIGIN, 2.0)).astype(int)
    darker = (plain[:, :, 3] - empty[:, :, 3] > 40) & ~solid
    assert darker.sum() > 50
