"""Modules that lie beside a scenario, which it may name as ``MODULE:CLASS`` without being installed."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType


class _Beside(MetaPathFinder):
    """Finds the modules in one folder, after all other finders, so that none of them hides an installed one.

    Attributes:
        folder: the folder; None finds nothing.
        found: names of the top-level modules that were found in it.
    """

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of this name, if it lies in the folder; what is inside a package is found by the others."""
        if self.folder is None or path is not None:
            return None
        spec = PathFinder.find_spec(fullname, [str(self.folder)], target)
        if spec is not None:
            self.found.add(fullname)
        return spec


_BESIDE = _Beside()


def use_modules_in(folder: Path) -> None:
    """Let the modules in a folder be imported, and those in the folder of the last call no longer.

    Modules of the last folder are forgotten, so that another scenario's ones of the same names are not taken for them.
    """
    if _BESIDE not in sys.meta_path:
        sys.meta_path.append(_BESIDE)
    folder = folder.resolve()
    if folder == _BESIDE.folder:
        importlib.invalidate_caches()  # a module may have been written since
        return
    for name in list(sys.modules):
        if name.partition(".")[0] in _BESIDE.found:
            del sys.modules[name]
    _BESIDE.folder = folder
    _BESIDE.found.clear()
    importlib.invalidate_caches()


def in_use(module: str) -> Path | None:
    """The folder that a module, or the package that it is in, was imported from; None if it is installed."""
    return _BESIDE.folder if module.partition(".")[0] in _BESIDE.found else None
