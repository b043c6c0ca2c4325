"""Where MuJoCo's renderer draws without a screen: by EGL, else by OSMesa."""

from __future__ import annotations

import os
from ctypes.util import find_library
from importlib.util import find_spec
from typing import Any

_LIBRARIES = {"egl": "EGL", "osmesa": "OSMesa"}
_INSTALL = "libegl1 and libgl1-mesa-dri, or libosmesa6"


class NoGraphics(Exception):
    """Nothing can be drawn; the text names the package to install."""


def missing() -> str:
    """Missing parts for pictures, as a sentence; empty without any."""
    if find_spec("OpenGL") is None:
        return "pictures need PyOpenGL, which is not installed: pip install 'hetwin-suite[view]'"
    if not _way():
        return f"pictures need a graphics library, and there is none: apt install {_INSTALL}"
    return ""


def open_context(width: int, height: int) -> Any:
    """A graphics context of so many pixels, which the calling thread may draw in; ``free`` it in the end.

    Raises:
        NoGraphics: if there is none.
    """
    reason = missing()
    if reason:
        raise NoGraphics(reason)
    try:
        context = _context(width, height)
        context.make_current()
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        text = f"the graphics library draws nothing ({error}): apt install {_INSTALL}"
        raise NoGraphics(text) from error
    return context


def _context(width: int, height: int) -> Any:
    if _way() == "egl":
        from mujoco.egl import GLContext
    else:
        from mujoco.osmesa import GLContext
    return GLContext(width, height)


def _way() -> str:
    """The way that is asked for by MUJOCO_GL if it is there, else the first that is."""
    ways = [way for way, library in _LIBRARIES.items() if find_library(library)]
    asked = os.environ.get("MUJOCO_GL", "")
    return asked if asked in ways else next(iter(ways), "")
