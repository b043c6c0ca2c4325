"""Caches the hulls of meshes that are slow to read, in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

from model_nodes.main_physics.world.description import Hull, Vector

_FORMAT = 1
"""Version of the cache; increased when hulls are computed differently."""


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hetwin" / "hulls"


def _entry(content: bytes, scale: Vector, vertices: int) -> Path:
    key = hashlib.sha256(content)
    key.update(repr((_FORMAT, scale, vertices)).encode())
    return _folder() / f"{key.hexdigest()}.npz"


def look_up(content: bytes, scale: Vector, vertices: int) -> Hull | None:
    """Return the cached hull of a file with this content; None if there is none or it cannot be read."""
    try:
        with np.load(_entry(content, scale, vertices), allow_pickle=False) as kept:
            return Hull(kept["vertices"], kept["faces"])
    except (OSError, ValueError, KeyError, EOFError):
        return None


def keep(content: bytes, scale: Vector, vertices: int, hull: Hull) -> None:
    """Cache a hull; failures to write are ignored."""
    entry = _entry(content, scale, vertices)
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=entry.parent, delete=False) as file:
            np.savez(file, vertices=hull.vertices, faces=hull.faces)
        Path(file.name).replace(entry)
    except OSError:
        return
