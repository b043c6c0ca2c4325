"""Encodes films as deflated blocks: the length of the header, the header as JSON, then the arrays it refers to.

Positions are stored as multiples of `UNIT_M`, quaternions as multiples of 1/32767. Both are stored as differences
between consecutive times, with one plane per byte of the integers: the planes of the upper bytes are almost zero and
compress well.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.film.film import Cloud, Film, Scene, layer_header

UNIT_M = 1e-4
"""Resolution of positions [m]."""

QUATERNION_STEPS = 32767
MISSING = -(2**31)
"""Value of a missing position."""

_ALIGNED = 8
_STILL = 1e-6
"""Maximum change of a standing body's positions [m] and quaternion components."""
_LEVEL = 6


class Block:
    """Collects the arrays behind a header."""

    def __init__(self) -> None:
        self._data = bytearray()

    def place(self, array: NDArray[Any]) -> dict[str, Any]:
        """Add an array; returns its entry in the header."""
        self._data += b"\0" * (-len(self._data) % _ALIGNED)
        kept = np.ascontiguousarray(array)
        offset = len(self._data)
        self._data += kept.astype(kept.dtype.newbyteorder("<"), copy=False).tobytes()
        return {"type": kept.dtype.str[1:], "offset": offset, "count": kept.size}

    def deflated(self, header: dict[str, Any]) -> bytes:
        """Return the deflated block."""
        text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
        start = len(text).to_bytes(4, "little") + text
        start += b"\0" * (-len(start) % _ALIGNED)
        return zlib.compress(start + bytes(self._data), _LEVEL)


def encode(film: Film) -> bytes:
    """Return a film as a deflated block."""
    block = Block()
    moving = _moving(film.poses)
    standing = film.poses[0].copy() if len(film.poses) else np.zeros((len(film.scene.bodies), 7))
    standing[moving] = 0.0
    header = {
        "scene": scene_header(film.scene, block),
        "start": film.start,
        "end": film.end,
        "times": block.place(np.asarray(film.times, np.float64)),
        "moving": moving.tolist(),
        "standing": block.place(standing.astype(np.float32)),
        "positions": block.place(_positions(film.poses[:, moving, :3])),
        "quaternions": block.place(_quaternions(film.poses[:, moving, 3:7])),
        "unit": UNIT_M,
        "owners": list(film.owners),
        "changes": [[change.time, change.attribute, change.model] for change in film.changes],
        "happenings": [asdict(happening) for happening in film.happenings],
        "doings": [asdict(doing) for doing in film.doings],
        "clouds": [_cloud(cloud, block) for cloud in film.clouds],
        "layers": [layer_header(layer, block.place) for layer in film.layers],
    }
    return block.deflated(header)


def encode_text(film: Film) -> str:
    """Return a film as base64 text for a page."""
    return base64.b64encode(encode(film)).decode("ascii")


def scene_header(scene: Scene, block: Block) -> dict[str, Any]:
    """Return the scene's entry of a header, and add its meshes to the block."""
    return {
        "name": scene.name,
        "models": [asdict(model) for model in scene.models],
        "bodies": [asdict(body) for body in scene.bodies],
        "meshes": [
            {"vertices": block.place(mesh.vertices), "faces": block.place(mesh.faces)}
            for mesh in scene.meshes
        ],
        "attributes": [asdict(attribute) for attribute in scene.attributes],
        "bones": [list(bone) for bone in scene.bones],
    }


def _moving(poses: Floats) -> NDArray[np.int64]:
    """Return the indices of the bodies that move or are missing at some time."""
    if not len(poses):
        return np.empty(0, np.int64)
    with np.errstate(invalid="ignore"):
        same = (np.abs(poses - poses[0]) <= _STILL).all(axis=(0, 2))
    return np.flatnonzero(~same)


def _positions(positions: Floats) -> NDArray[np.uint8]:
    """Return byte planes of (n, bodies, 3) positions, ordered by body, axis and time."""
    present = np.isfinite(positions)
    steps = np.rint(np.where(present, positions, 0.0) / UNIT_M).astype(np.int32)
    steps[~present] = MISSING
    return _planes(steps)


def _quaternions(quaternions: Floats) -> NDArray[np.uint8]:
    """Return byte planes of (n, bodies, 4) quaternions, ordered by body, component and time."""
    finite = np.where(np.isfinite(quaternions), quaternions, 0.0)
    # q and -q are the same rotation; without sign changes between times the differences are small.
    flips = np.sum(finite[1:] * finite[:-1], axis=2) < 0.0
    signs = np.cumprod(np.where(flips, -1.0, 1.0), axis=0)
    finite[1:] *= signs[:, :, None]
    return _planes(np.rint(finite * QUATERNION_STEPS).astype(np.int16))


def _planes(steps: NDArray[Any]) -> NDArray[np.uint8]:
    rows = np.ascontiguousarray(steps.transpose(1, 2, 0))
    with np.errstate(over="ignore"):
        rows[..., 1:] -= rows[..., :-1].copy()
    width = rows.dtype.itemsize
    planes = rows.astype(rows.dtype.newbyteorder("<"), copy=False).view(np.uint8)
    return np.ascontiguousarray(planes.reshape(-1, width).T)


def _cloud(cloud: Cloud, block: Block) -> dict[str, Any]:
    """Return a point cloud's entry of the header: the number of points at each time, and all points."""
    rows = np.concatenate([np.empty((0, 4)), *cloud.rows]).astype(np.float32)
    counts = np.array([len(points) for points in cloud.rows], np.uint32)
    return {"body": cloud.body, "counts": block.place(counts), "rows": block.place(rows)}
