"""Convex hulls of mesh files, for collisions and for display; those that are slow to compute are cached.

Engines only collide convex meshes, so only the convex hull of a file is kept; concavities are filled. STL and
OBJ files are read by MuJoCo, COLLADA files by trimesh with pycollada if these are installed.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import mujoco as mj
import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_bytes
from hetwin_core.ensemble.resources import cache_folder
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.supervision.watched import STDERR
from model_nodes.main_physics.world.description import Hull, Vector

_FORMAT = 1
"""Version of the cache; increased when hulls are computed differently."""


def _cache_file(content: bytes, scale: Vector, vertices: int) -> Path:
    key = hashlib.sha256(content)
    key.update(repr((_FORMAT, scale, vertices)).encode())
    return cache_folder("hulls") / f"{key.hexdigest()}.npz"


def cached_hull(content: bytes, scale: Vector, vertices: int) -> Hull | None:
    """Return the cached hull of a file with this content; None if there is none or it cannot be read."""
    try:
        with np.load(_cache_file(content, scale, vertices), allow_pickle=False) as archive:
            return Hull(archive["vertices"], archive["faces"])
    except (OSError, ValueError, KeyError, EOFError):
        return None


def cache_hull(content: bytes, scale: Vector, vertices: int, hull: Hull) -> None:
    """Cache a hull; failures to write are ignored."""
    entry = _cache_file(content, scale, vertices)
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=entry.parent, delete=False) as file:
            np.savez(file, vertices=hull.vertices, faces=hull.faces)
        Path(file.name).replace(entry)
    except OSError:
        return


MAX_HULL_VERTICES = 120
"""Maximum number of a hull's vertices; a convex hull of n vertices has at most 2 n - 4 faces."""

_BY_MUJOCO = (".stl", ".obj", ".msh")
_BY_TRIMESH = (".stl", ".obj", ".dae", ".ply", ".off")
"""Formats for trimesh whose content is not larger than the file; other formats are archives or only declare a size."""
_MAX_REPEATED = 16
"""Maximum number of repeated nodes in a COLLADA file, each of which may double the content."""


@lru_cache(maxsize=256)
def hull_of_file(file: Path, scale: Vector) -> Hull:
    """Compute the convex hull of a mesh file.

    Raises:
        BadInput: if the file cannot be decoded; names file and reason.
    """
    if not file.is_file():
        raise BadInput("does not exist", file=file)
    if file.suffix.lower() in _BY_MUJOCO:
        try:
            return _hull({"file": str(file), "scale": scale})
        except ValueError:
            pass  # for example STL as text, which only trimesh reads
    try:
        content = read_bytes(file)
    except OSError as error:
        raise BadInput(f"cannot be read: {error}", file=file) from None
    hull = cached_hull(content, scale, MAX_HULL_VERTICES)
    if hull is None:
        hull = hull_of_points(_vertices_by_trimesh(content, file) * np.asarray(scale), file)
        cache_hull(content, scale, MAX_HULL_VERTICES, hull)
    return hull


def hull_of_points(points: Floats, file: Path | None = None) -> Hull:
    """Compute the convex hull of (n, 3) points [m].

    Raises:
        BadInput: if the points do not span a volume.
    """
    with np.errstate(over="ignore"):
        distinct = np.unique(np.ascontiguousarray(points, np.float64).round(9), axis=0)
    try:
        return _hull({"uservert": distinct.ravel()})
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise BadInput(f"has no convex hull: {reason}", file=file) from None


def _vertices_by_trimesh(content: bytes, file: Path) -> Floats:
    kind = file.suffix.lower()
    if kind not in _BY_TRIMESH or content.count(b"<instance_node") > _MAX_REPEATED:
        raise BadInput(
            "this mesh format is not supported"
            if kind not in _BY_TRIMESH
            else "its nodes repeat others",
            file=file,
            expected=f"a mesh in {', '.join(_BY_TRIMESH)}",
        )
    try:
        import trimesh
    except ImportError:
        raise BadInput(
            f"{file.suffix} files need the packages trimesh and pycollada",
            file=file,
            expected="pip install trimesh pycollada, or a mesh in STL or OBJ",
        ) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = trimesh.load(io.BytesIO(content), kind[1:], force="mesh", process=False)
            mesh = cast(Any, read)
        vertices = np.asarray(mesh.vertices, np.float64)
    except Exception as error:  # trimesh's loaders raise exceptions of several libraries
        raise BadInput(f"cannot be decoded: {error}", file=file) from None
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 4:
        raise BadInput("contains no mesh", file=file)
    return vertices


def _hull(source: dict[str, Any]) -> Hull:
    # MuJoCo computes a hull only for meshes that can collide.
    spec = mj.MjSpec()
    mesh = spec.add_mesh(name="mesh", maxhullvert=MAX_HULL_VERTICES)
    for key, value in source.items():
        setattr(mesh, key, value)
    mesh.inertia = mj.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    spec.worldbody.add_geom(type=mj.mjtGeom.mjGEOM_MESH, meshname="mesh")
    with _quiet():
        model = spec.compile()
    graph = model.mesh_graph[model.mesh_graphadr[0] :]
    vertex_count, face_count = int(graph[0]), int(graph[1])
    start = 2 + vertex_count
    ids = graph[start : start + vertex_count]
    face_start = start + vertex_count + vertex_count + 3 * face_count
    faces = graph[face_start : face_start + 3 * face_count].reshape(-1, 3)
    number_of = {int(vertex): i for i, vertex in enumerate(ids)}
    local = model.mesh_vert[ids].astype(np.float64)
    vertices = local @ quat2mat(model.mesh_quat[0]).T + model.mesh_pos[0]
    numbered = np.array([[number_of[int(v)] for v in face] for face in faces], np.int32)
    return Hull(vertices, _outward(vertices, numbered))


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress stderr: the library for hulls prints a page of explanations."""
    saved, devnull = os.dup(STDERR), os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, STDERR)
    try:
        yield
    finally:
        os.dup2(saved, STDERR)
        os.close(saved)
        os.close(devnull)


def _outward(vertices: Floats, faces: Ints) -> Ints:
    # Some triangles of coplanar points have the wrong orientation.
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a - vertices.mean(axis=0)) < 0
    faces[inward] = faces[inward][:, ::-1]
    return faces
