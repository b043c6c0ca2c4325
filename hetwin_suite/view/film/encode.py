"""Films as bytes: the length of a header, the header as JSON, and arrays that it points into; deflated.

Positions are kept in steps of `UNIT_M`, quaternions in steps of 1/32767, as differences from one time to the next whose
bytes lie in planes: the upper planes are all but empty, and deflate well.
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
"""Step of positions; they are wrong by half of it at most."""

QUATERNION_STEPS = 32767
MISSING = -(2**31)
"""Stands for a position that is not there."""

_ALIGNED = 8
_STILL = 1e-6
"""A body that changes by less than this, in metres or of a quaternion, stands."""
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
        """The whole block."""
        text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
        start = len(text).to_bytes(4, "little") + text
        start += b"\0" * (-len(start) % _ALIGNED)
        return zlib.compress(start + bytes(self._data), _LEVEL)


def encode(film: Film) -> bytes:
    """The film as a deflated block."""
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
    """The film as text that stands in a page."""
    return base64.b64encode(encode(film)).decode("ascii")


def scene_header(scene: Scene, block: Block) -> dict[str, Any]:
    """The scene for a header; its meshes go into the block."""
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
    """Indices of the bodies that do not stand still, or are not always there."""
    if not len(poses):
        return np.empty(0, np.int64)
    with np.errstate(invalid="ignore"):
        same = (np.abs(poses - poses[0]) <= _STILL).all(axis=(0, 2))
    return np.flatnonzero(~same)


def _positions(positions: Floats) -> NDArray[np.uint8]:
    """Planes of bytes of (n, bodies, 3) positions, by body, axis and time."""
    there = np.isfinite(positions)
    steps = np.rint(np.where(there, positions, 0.0) / UNIT_M).astype(np.int32)
    steps[~there] = MISSING
    return _planes(steps)


def _quaternions(quaternions: Floats) -> NDArray[np.uint8]:
    """Planes of bytes of (n, bodies, 4) quaternions, by body, axis and time."""
    whole = np.where(np.isfinite(quaternions), quaternions, 0.0)
    # A quaternion and its negative are the same: without jumps between them the differences are small.
    turns = np.sum(whole[1:] * whole[:-1], axis=2) < 0.0
    signs = np.cumprod(np.where(turns, -1.0, 1.0), axis=0)
    whole[1:] *= signs[:, :, None]
    return _planes(np.rint(whole * QUATERNION_STEPS).astype(np.int16))


def _planes(steps: NDArray[Any]) -> NDArray[np.uint8]:
    rows = np.ascontiguousarray(steps.transpose(1, 2, 0))
    with np.errstate(over="ignore"):
        rows[..., 1:] -= rows[..., :-1].copy()
    width = rows.dtype.itemsize
    planes = rows.astype(rows.dtype.newbyteorder("<"), copy=False).view(np.uint8)
    return np.ascontiguousarray(planes.reshape(-1, width).T)


def _cloud(cloud: Cloud, block: Block) -> dict[str, Any]:
    """Counts for each time, and all rows behind each other."""
    rows = np.concatenate([np.empty((0, 4)), *cloud.rows]).astype(np.float32)
    counts = np.array([len(there) for there in cloud.rows], np.uint32)
    return {"body": cloud.body, "counts": block.place(counts), "rows": block.place(rows)}
