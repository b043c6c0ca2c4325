"""Modules in a scenario's folder; the scenario can name them as ``MODULE:CLASS`` although they are not installed.

A scenario that the user names is trusted like a program. One that a run, an episode or a checkpoint names may come
from anyone: nothing beside it is imported, unless the user trusts it, see `distrust`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import folders


class _ScenarioModuleFinder(MetaPathFinder):
    """Finds modules in some folders, after all other finders, so that no module there hides an installed one.

    Attributes:
        folders: searched folders, in order.
        found: names of the top-level modules that were found, and the folder of each.
        excluded: folders of the current scenario that are not searched.
        distrusted: folder -> the file that named a scenario in it; the key None means all folders.
    """

    def __init__(self) -> None:
        self.folders: tuple[Path, ...] = ()
        self.found: dict[str, Path] = {}
        self.excluded: tuple[Path, ...] = ()
        self.distrusted: dict[Path | None, Path] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The top-level module of this name, if it lies in a folder; submodules are found by Python's own finders."""
        if path is not None:
            return None
        for folder in self.folders:
            spec = PathFinder.find_spec(fullname, [str(folder)], target)
            if spec is not None:
                self.found[fullname] = folder
                return spec
        return None


_FINDER = _ScenarioModuleFinder()


def use_modules_in(*directories: Path) -> None:
    """Make the modules in these folders importable, in this order, instead of those of the last call.

    If one of the folders is distrusted, none of them is searched. Modules of the last call are unloaded, so
    that a module of another scenario is not used in place of one with the same name.
    """
    if _FINDER not in sys.meta_path:
        sys.meta_path.append(_FINDER)
    resolved = tuple(folder.resolve() for folder in directories)
    _FINDER.excluded = resolved if any(map(distrusted_by, resolved)) else ()
    resolved = () if _FINDER.excluded else resolved
    if resolved == _FINDER.folders:
        importlib.invalidate_caches()  # a module may have been written meanwhile
        return
    for name in list(sys.modules):
        if name.partition(".")[0] in _FINDER.found:
            del sys.modules[name]
    _FINDER.folders = resolved
    _FINDER.found.clear()
    importlib.invalidate_caches()


def folder_of_module(module: str) -> Path | None:
    """The folder that a module or its package was imported from; None if it is installed."""
    return _FINDER.found.get(module.partition(".")[0])


def distrust(scenario: Path, by: Path | None) -> None:
    """Import nothing that lies beside a scenario in this process from now on, except installed modules.

    Args:
        scenario: its file; a scenario that is installed itself stays trusted.
        by: the run or episode that names it; None: trust it again.
    """
    folder = scenario.resolve().parent
    if by is None:
        _FINDER.distrusted.pop(folder, None)
    elif folder not in [shipped.resolve() for shipped in folders("scenarios")]:
        _FINDER.distrusted[folder] = by


@contextmanager
def distrusting(by: Path | None) -> Iterator[None]:
    """Import nothing beside any scenario in this context, because `by` names them; None changes nothing."""
    if by is not None:
        _FINDER.distrusted[None] = by
    try:
        yield
    finally:
        if by is not None:
            del _FINDER.distrusted[None]


def distrusted_by(folder: Path) -> Path | None:
    """The file that has named a scenario in this distrusted folder; None if the folder is trusted."""
    return _FINDER.distrusted.get(folder.resolve()) or _FINDER.distrusted.get(None)


def untrusted_module_error(module: str, *directories: Path) -> BadInput | None:
    """Return why a module or its package is not imported; None if it does not lie beside the scenario.

    Args:
        module: name of the module.
        directories: folders to search; none: those of the current scenario.
    """
    name = module.partition(".")[0]
    for folder in directories or _FINDER.excluded:
        by = distrusted_by(folder)
        spec = None if by is None else PathFinder.find_spec(name, [str(folder)])
        if spec is not None and PathFinder.find_spec(name) is None:
            return BadInput(
                f"this would run code from the folder of a scenario that was named by {by}, not by you",
                found=spec.origin or str(folder / name),
                expected="--trust, if you trust its author",
            )
    return None
