"""Hulls of meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_examples import examples
from support.robot_files import example

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world import meshes
from model_nodes.main_physics.world.description import Hull


def volume(hull: Hull) -> float:
    a, b, c = (hull.vertices[hull.faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


corners = st.lists(
    st.tuples(*[st.integers(-10, 10)] * 3), min_size=8, max_size=40, unique=True
).map(lambda points: np.array(points, np.float64) / 10)


@examples(60)
@given(corners)
def test_a_hull_holds_all_its_points(points: Floats) -> None:
    if np.linalg.matrix_rank(points[1:] - points[0], tol=0.01) < 3:
        with pytest.raises(BadInput, match="hull"):
            meshes.hull_of_points(points)
        return
    hull = meshes.hull_of_points(points)
    directions = np.random.default_rng(0).normal(size=(3, 50))
    directions /= np.linalg.norm(directions, axis=0)
    reach, expected = (hull.vertices @ directions).max(axis=0), (points @ directions).max(axis=0)
    assert reach == pytest.approx(expected, abs=1e-5)
    assert volume(hull) > 0


def test_a_hull_has_few_faces() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(5000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    hull = meshes.hull_of_points(points)
    assert len(hull.faces) < 500
    assert volume(hull) == pytest.approx(4 / 3 * np.pi, rel=0.1)


def test_a_hull_that_was_kept_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = example("baxter_description/meshes/wrist/W2.DAE")
    read = meshes.hull_of_file.__wrapped__
    first = read(file, (1.0, 1.0, 1.0))
    monkeypatch.setattr(meshes, "_vertices_by_trimesh", None)  # it must not be read again
    second = read(file, (1.0, 1.0, 1.0))
    assert first.vertices.tobytes() == second.vertices.tobytes()
    assert first.faces.tobytes() == second.faces.tobytes()


def test_a_broken_cache_is_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trimesh")
    pytest.importorskip("collada")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file = example("baxter_description/meshes/wrist/W2.DAE")
    read = meshes.hull_of_file.__wrapped__
    first = read(file, (1.0, 1.0, 1.0))
    (entry,) = (tmp_path / "hetwin" / "hulls").iterdir()
    entry.write_bytes(b"broken")
    assert read(file, (1.0, 1.0, 1.0)).vertices.tobytes() == first.vertices.tobytes()


@pytest.mark.parametrize("name", ["x.stl", "x.obj", "x.dae", "x.ply"])
def test_a_file_that_is_no_mesh_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("no mesh at all")
    with pytest.raises(BadInput) as caught:
        meshes.hull_of_file(tmp_path / name, (1.0, 1.0, 1.0))
    assert str(tmp_path / name) in str(caught.value)


def test_text_stl_is_read(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    facets = ""
    for a, b, c in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)):
        lines = "".join("vertex {} {} {}\n".format(*corners[i]) for i in (a, b, c))
        facets += f"facet normal 0 0 0\nouter loop\n{lines}endloop\nendfacet\n"
    (tmp_path / "t.stl").write_text(f"solid t\n{facets}endsolid t\n")
    hull = meshes.hull_of_file(tmp_path / "t.stl", (1.0, 1.0, 2.0))
    assert volume(hull) == pytest.approx(1 / 3, rel=1e-5)


@pytest.mark.parametrize("name", ["a.zip", "a.zae", "a.3mf", "a.glb", "a.tar.gz"])
def test_an_archive_is_no_mesh(tmp_path: Path, name: str) -> None:
    """It may unpack to any size, and a GLB says only how large it is."""
    (tmp_path / name).write_bytes(b"anything")
    with pytest.raises(
        BadInput, match=r"this mesh format is not supported; expected a mesh in \.stl"
    ):
        meshes.hull_of_file(tmp_path / name, (1.0, 1.0, 1.0))


def test_collada_whose_nodes_double_each_other(tmp_path: Path) -> None:
    nodes = [f'<node id="n{i}">{f"<instance_node url=#n{i + 1}/>" * 2}</node>' for i in range(40)]
    (tmp_path / "a.dae").write_text(f"<COLLADA>{''.join(nodes)}</COLLADA>")
    with pytest.raises(BadInput, match="its nodes repeat others"):
        meshes.hull_of_file(tmp_path / "a.dae", (1.0, 1.0, 1.0))


def test_a_mesh_larger_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HETWIN_LARGEST_MIB", "1")
    (tmp_path / "a.ply").write_bytes(bytes(2**20 + 1))
    with pytest.raises(BadInput, match="cannot be read: it has more than 1 MiB"):
        meshes.hull_of_file(tmp_path / "a.ply", (1.0, 1.0, 1.0))


def test_a_mesh_without_end_is_refused_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The library of hulls would write a page to stderr that names no file."""
    far = 3e38
    corners = np.array([[0, 0, 0], [far, 0, 0], [0, 1, 0], [0, 0, far]], np.float32)
    facets = [[(0, 0, 0), *corners[list(face)]] for face in ((0, 1, 2), (0, 1, 3), (1, 2, 3))]
    rows = b"".join(np.array(facet, np.float32).tobytes() + b"\0\0" for facet in facets)
    (tmp_path / "a.stl").write_bytes(bytes(80) + np.uint32(len(facets)).tobytes() + rows)
    with pytest.raises(BadInput, match=r"a\.stl: has no convex hull"):
        meshes.hull_of_file(tmp_path / "a.stl", (1.0, 1.0, 1.0))
    assert not capfd.readouterr().err
