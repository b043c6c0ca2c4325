"""Triangles of meshes, fewer where there are more than a page needs."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.values import Shape
from hetwin_suite.view.film.film import Mesh

MOST_FACES = 4000
_FINEST, _COARSEST = 64, 8
"""Cells of the grid along a mesh's longest side."""


def small_mesh(shape: Shape, most: int = MOST_FACES) -> Mesh | None:
    """The mesh of a shape with about `most` faces at most; None if it has none."""
    if shape.vertices is None or shape.faces is None or not len(shape.faces):
        return None
    whole = Mesh(np.asarray(shape.vertices, np.float32), np.asarray(shape.faces, np.uint32))
    mesh, cells = whole, _FINEST
    while len(mesh.faces) > most and cells >= _COARSEST:
        mesh = _merged(whole, cells)
        cells = cells * 3 // 4
    return mesh


def _merged(mesh: Mesh, cells: int) -> Mesh:
    """Merge the vertices of each cell of a grid, `cells` along the longest side."""
    low = mesh.vertices.min(axis=0)
    step = max(float(np.ptp(mesh.vertices, axis=0).max()) / cells, 1e-9)
    keys = np.floor((mesh.vertices - low) / step).astype(np.int64)
    flat = (keys[:, 0] * (cells + 1) + keys[:, 1]) * (cells + 1) + keys[:, 2]
    _, group = np.unique(flat, return_inverse=True)
    counts = np.bincount(group)
    sums = [np.bincount(group, mesh.vertices[:, i]) for i in range(3)]
    faces = group[mesh.faces]
    whole = (
        (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    )
    _, first = np.unique(np.sort(faces[whole], axis=1), axis=0, return_index=True)
    vertices = np.stack(sums, axis=1) / counts[:, None]
    return Mesh(vertices.astype(np.float32), faces[whole][np.sort(first)].astype(np.uint32))
