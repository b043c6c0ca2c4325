"""Where files are that can be named: hetwin's own in a checkout or under share/hetwin, others in packages."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group, installed

PACKAGE = "hetwin"
RESOURCES = Group("hetwin.resources", "folder", "a module of the package")
"""Group in which packages name modules in whose folders are folders such as ``scenarios``, ``worlds`` and ``urdf``."""
DATA_SCHEME = "data://"
"""Begins the name of a recording in the data folder, e.g. ``data://baxter_pnp_mcap``."""


def roots() -> Iterator[Path]:
    """Folders that may hold resources, the closest first."""
    yield from (folder for folder in Path(__file__).resolve().parents if _is_checkout(folder))
    for prefix in [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]:
        if prefix:
            yield Path(prefix) / "share" / PACKAGE


@cache
def _of_packages(_folders: tuple[str, ...]) -> tuple[Path, ...]:
    found = []
    for point in sorted(installed(RESOURCES.name)):
        try:
            spec = find_spec(point.value)
        except ImportError:
            spec = None
        if spec is None or not spec.origin:
            refused = RESOURCES.refused(point, f"there is no module {point.value}")
            warnings.warn(str(refused), stacklevel=1)
        else:
            found.append(Path(spec.origin).parent)
    return tuple(found)


def _is_checkout(folder: Path) -> bool:
    """Whether it holds hetwin's own manifest, and not that of a package in whose environment hetwin is installed."""
    manifest = folder / "package.xml"
    return manifest.is_file() and f"<name>{PACKAGE}</name>" in manifest.read_text(
        "utf-8", "replace"
    )


def resource(*parts: str) -> Path:
    """Path of a file or folder of hetwin's own or of a package's, e.g. ``resource("worlds", "tabletop.sdf")``.

    Raises:
        BadInput: if none holds it; the folders that were looked through are named.
    """
    tried = []
    for root in (*roots(), *_of_packages(tuple(sys.path))):
        path = root.joinpath(*parts)
        if path.exists():
            return path
        tried.append(str(root))
    raise BadInput(
        "this installation of hetwin lacks a file", file="/".join(parts), expected=f"in {tried}"
    )


def names_of(folder: str, suffix: str) -> list[str]:
    """Names, without the suffix, of the files in a folder of hetwin's own and of packages, sorted."""
    found = (path for place in folders(folder) for path in place.glob(f"*{suffix}"))
    return sorted({path.stem for path in found})


def folders(name: str) -> list[Path]:
    """The folders of a name: hetwin's own first, then those of packages."""
    own = [root / name for root in roots() if (root / name).is_dir()]
    others = (root / name for root in _of_packages(tuple(sys.path)))
    return [*own[:1], *(folder for folder in others if folder.is_dir())]


def data_folder() -> Path:
    """Where recordings of real robots are kept: ``HETWIN_DATA``, else beside the checkout."""
    named = os.environ.get("HETWIN_DATA")
    return Path(named) if named else next(roots()).parent / "shared" / "data"


def wanted_data(name: str) -> str:
    """What is expected where a file of the data folder is not there, in words."""
    inside = name.removeprefix(DATA_SCHEME)
    folder = data_folder()
    there = "" if folder.is_dir() else ", which is not there"
    return f"{inside} in the folder of recordings {folder}{there}; HETWIN_DATA names another folder"


def find(name: str, *near: Path) -> Path | None:
    """A file named in a scenario: relative to it, to the folder above it, or to hetwin's own files or a package's.

    Args:
        name: of the file.
        near: the folders of the scenario and of those that it extends; none: the current folder.
    """
    if name.startswith(DATA_SCHEME):
        path = data_folder() / name.removeprefix(DATA_SCHEME)
        return path if path.exists() else None
    path = Path(name).expanduser()
    if path.is_absolute():
        return path if path.exists() else None
    bases = [folder for base in near for folder in (base, base.parent)] or [Path.cwd()]
    for folder in [*bases, *roots(), *_of_packages(tuple(sys.path))]:
        if (folder / path).exists():
            return (folder / path).resolve()
    return None
