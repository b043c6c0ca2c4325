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
    """Finds the modules in some folders, after all other finders, so that none of them hides an installed one.

    Attributes:
        folders: in the order in which they are searched.
        found: names of the top-level modules that were found, and the folder of each.
    """

    def __init__(self) -> None:
        self.folders: tuple[Path, ...] = ()
        self.found: dict[str, Path] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of this name, if it lies in a folder; what is inside a package is found by the others."""
        if path is not None:
            return None
        for folder in self.folders:
            spec = PathFinder.find_spec(fullname, [str(folder)], target)
            if spec is not None:
                self.found[fullname] = folder
                return spec
        return None


_BESIDE = _Beside()


def use_modules_in(*folders: Path) -> None:
    """Let the modules in these folders, the first one first, be imported, and those of the last call no longer.

    Modules of the last call are forgotten, so that another scenario's ones of the same names are not taken for them.
    """
    if _BESIDE not in sys.meta_path:
        sys.meta_path.append(_BESIDE)
    chosen = tuple(folder.resolve() for folder in folders)
    if chosen == _BESIDE.folders:
        importlib.invalidate_caches()  # a module may have been written since
        return
    for name in list(sys.modules):
        if name.partition(".")[0] in _BESIDE.found:
            del sys.modules[name]
    _BESIDE.folders = chosen
    _BESIDE.found.clear()
    importlib.invalidate_caches()


def in_use(module: str) -> Path | None:
    """The folder that a module, or the package that it is in, was imported from; None if it is installed."""
    return _BESIDE.found.get(module.partition(".")[0])
