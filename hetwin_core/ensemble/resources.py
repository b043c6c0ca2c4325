"""Files that users name: hetwin's own, those of packages, their robots and worlds; and digests of files."""

from __future__ import annotations

import difflib
import hashlib
import os
import re
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import Group, install_command, installed

_MAX_FULL_HASH_BYTES = 8 * 2**20
"""Maximum size of a file that is hashed as a whole [bytes]; larger ones, such as recordings, are hashed by their size
and both ends.
"""
_END_BYTES = 2**20
_DIGEST_DIGITS = 16


def file_digest(path: Path) -> str:
    """Return 16 hexadecimal digits of the SHA-256 of a file, or of all files in a folder with their relative paths.

    Raises:
        OSError: if it cannot be read.
    """
    digest = hashlib.sha256()
    if path.is_file():
        digest.update(_content(path))
    else:
        for file in sorted(part for part in path.rglob("*") if part.is_file()):
            digest.update(f"{file.relative_to(path).as_posix()}\0".encode())
            digest.update(_content(file))
    return digest.hexdigest()[:_DIGEST_DIGITS]


def _content(file: Path) -> bytes:
    size = file.stat().st_size
    if size <= _MAX_FULL_HASH_BYTES:
        return hashlib.sha256(file.read_bytes()).digest()
    with file.open("rb") as stream:
        ends = [stream.read(_END_BYTES)]
        stream.seek(size - _END_BYTES)
        ends.append(stream.read(_END_BYTES))
    return hashlib.sha256(b"".join([str(size).encode(), *ends])).digest()


def cache_folder(name: str) -> Path:
    """Return the folder for cached data, by the XDG base directory specification."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hetwin" / name


PACKAGE = "hetwin"
RESOURCES = Group("hetwin.resources", "folder", "a module of the package")
"""Group in which packages name modules; folders such as ``scenarios``, ``worlds`` and ``urdf`` lie beside these
modules.
"""
DATA_SCHEME = "data://"
"""Prefix of a recording in the data folder, e.g. ``data://baxter_pnp_mcap``."""


def roots() -> Iterator[Path]:
    """Folders that may hold resources, the closest first."""
    yield from (folder for folder in Path(__file__).resolve().parents if _is_checkout(folder))
    for prefix in [*os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep), sys.prefix]:
        if prefix:
            yield Path(prefix) / "share" / PACKAGE


@cache
def _package_folders(_folders: tuple[str, ...]) -> tuple[Path, ...]:
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


@cache
def _is_checkout(folder: Path) -> bool:
    """Whether the folder holds hetwin's own manifest, not that of a package that merely installs hetwin."""
    manifest = folder / "package.xml"
    return manifest.is_file() and f"<name>{PACKAGE}</name>" in manifest.read_text(
        "utf-8", "replace"
    )


def resource(*parts: str) -> Path:
    """Path of a file or folder of hetwin's own or of a package's, e.g. ``resource("worlds", "tabletop.sdf")``.

    Raises:
        BadInput: if no folder holds it; the searched folders are named.
    """
    searched = []
    for root in (*roots(), *_package_folders(tuple(sys.path))):
        path = root.joinpath(*parts)
        if path.exists():
            return path
        searched.append(str(root))
    raise BadInput(
        "this installation of hetwin lacks a file", file="/".join(parts), expected=f"in {searched}"
    )


def names_of(folder: str, suffix: str) -> list[str]:
    """Names, without the suffix, of the files in a folder of hetwin's own and of packages, sorted."""
    found = (path for directory in folders(folder) for path in directory.glob(f"*{suffix}"))
    return sorted({path.stem for path in found})


def folders(name: str) -> list[Path]:
    """The resource folders of this name: hetwin's own first, then those of packages."""
    own = [root / name for root in roots() if (root / name).is_dir()]
    others = (root / name for root in _package_folders(tuple(sys.path)))
    return [*own[:1], *(folder for folder in others if folder.is_dir())]


def data_folder() -> Path:
    """Folder of recordings of real robots: ``HETWIN_DATA``, else beside the checkout."""
    named = os.environ.get("HETWIN_DATA")
    return Path(named) if named else next(roots()).parent / "shared" / "data"


def data_hint(name: str) -> str:
    """The remedy for a missing file of the data folder, in words."""
    inside = name.removeprefix(DATA_SCHEME)
    folder = data_folder()
    missing = "" if folder.is_dir() else ", which does not exist"
    return (
        f"{inside} in the folder of recordings {folder}{missing}; HETWIN_DATA names another folder"
    )


def find(name: str, *near: Path) -> Path | None:
    """Find a file named in a scenario: relative to the scenario, to its parent folder, or to resources.

    Args:
        name: name of the file.
        near: the folders of the scenario and of those that it extends; none: the current folder.
    """
    if name.startswith(DATA_SCHEME):
        path = data_folder() / name.removeprefix(DATA_SCHEME)
        return path if path.exists() else None
    path = Path(name).expanduser()
    if path.is_absolute():
        return path if path.exists() else None
    bases = [folder for base in near for folder in (base, base.parent)] or [Path.cwd()]
    for folder in [*bases, *roots(), *_package_folders(tuple(sys.path))]:
        if (folder / path).exists():
            return (folder / path).resolve()
    return None


EXTRA = install_command("robots")
MAX_NAMED = 12

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_JOINT = re.compile(r"<joint\b([^>]*)>")
_ATTRIBUTE = re.compile(r"""\b(name|type)\s*=\s*["']([^"']*)["']""")
_SUFFIXES = ("_robot", "_description", "_data")


class Kind(StrEnum):
    """The kind of a file's content."""

    ROBOT = "robot"
    WORLD = "world"


FORMATS = {
    Kind.ROBOT: "a URDF, xacro, MJCF or USD file",
    Kind.WORLD: "an SDFormat, MJCF or USD file",
}
_FOLDERS = {Kind.ROBOT: ("urdf", "*.urdf"), Kind.WORLD: ("worlds", "*.sdf")}


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A robot or a world.

    Attributes:
        name: its known name; empty for a file that was given by its path.
        file: its description.
        reference: its name in a scenario; empty if a scenario can only name its path.
    """

    name: str
    file: Path
    reference: str = ""

    @property
    def label(self) -> str:
        """The name, or the path without a name."""
        return self.name or str(self.file)


@lru_cache(maxsize=1)
def example_robots() -> Path | None:
    """Folder ``example-robot-data`` of the PyPI package of that name, if it is installed."""
    for key in ("purelib", "platlib"):
        base = Path(sysconfig.get_path(key))
        for share in (base / "cmeel.prefix" / "share", base.parents[2] / "share"):
            if (share / "example-robot-data" / "robots").is_dir():
                return share / "example-robot-data"
    return None


@cache
def moving_joints(file: Path) -> tuple[str, ...]:
    """Names of all joints of a URDF that are not fixed, in the file's order, without parsing it in full.

    Empty for a file that cannot be read, or is not a URDF.
    """
    try:
        text = _COMMENT.sub("", file.read_text("utf-8", "replace"))
    except OSError:
        return ()
    found = (dict(_ATTRIBUTE.findall(match[1])) for match in _JOINT.finditer(text))
    moving = (j["name"] for j in found if j.get("name") and j.get("type", "fixed") != "fixed")
    return tuple(dict.fromkeys(moving))


def known_robots() -> dict[str, KnownFile]:
    """All known robots with a moving joint, by name."""
    return known_files(Kind.ROBOT)


@cache
def known_files(kind: Kind) -> dict[str, KnownFile]:
    """All known files of a kind, by name: hetwin's own, and robots of the extra."""
    files = list(_own_files(kind))
    if kind is Kind.ROBOT:
        files = [
            known_file
            for known_file in (*files, *_extra_robots())
            if moving_joints(known_file.file)
        ]
    return {known_file.name: known_file for known_file in _with_unique_names(files)}


def find_known(
    text: str, *kinds: Kind, where: str | None = None, near: Sequence[Path] = ()
) -> KnownFile:
    """The robot or world that a user names: a file, or a known name.

    Args:
        text: the user's reference.
        kinds: the accepted kinds.
        where: its option or key, for errors.
        near: folders to which a path is relative; none: the current one.

    Raises:
        BadInput: if it is neither; the most similar names are listed.
    """
    path = find(text, *near)
    if path is not None and path.is_file():
        return KnownFile("", path.resolve())
    known = {name: file for kind in reversed(kinds) for name, file in known_files(kind).items()}
    if text in known:
        return known[text]
    for name, file in known.items():  # other spellings
        if name.casefold() == text.casefold() or _short_name(name) == text.casefold():
            return file
    formats = ", or ".join(FORMATS[kind] for kind in kinds)
    if text.startswith(DATA_SCHEME):
        raise BadInput("does not exist", where=where, found=text, expected=data_hint(text))
    if path is not None:
        problem = "this is a folder" if path.is_dir() else "this is not a regular file"
        raise BadInput(problem, where=where, found=text, expected=formats)
    if Path(text).suffix or len(Path(text).parts) > 1:
        raise BadInput(
            "there is no such file", where=where, found=text, expected=f"{formats}, or a name"
        )
    kind_names = " or ".join(kinds)
    expected = f"{formats}, or {_nearest(text, known, Kind.ROBOT in kinds)}"
    raise BadInput(
        f"no {kind_names} of this name is known", where=where, found=text, expected=expected
    )


def _own_files(kind: Kind) -> Iterator[KnownFile]:
    inside, pattern = _FOLDERS[kind]
    for folder in folders(inside):
        for file in sorted(folder.glob(pattern)):
            yield KnownFile(file.stem, file, f"{inside}/{file.name}")


def _extra_robots() -> Iterator[KnownFile]:
    folder = example_robots()
    if folder is None:
        return
    for file in sorted(folder.glob("robots/**/*.urdf")):
        inside = file.relative_to(folder.parent).as_posix()
        yield KnownFile(file.stem, file, f"package://{inside}")


def _with_unique_names(files: Iterable[KnownFile]) -> Iterator[KnownFile]:
    """Rename robots with the same name after their packages."""
    candidates = list(files)
    names = [known_file.name for known_file in candidates]
    taken: set[str] = set()
    for known_file in candidates:
        name = known_file.name
        if names.count(name) > 1 and known_file.reference.startswith("package://"):
            package = known_file.file.parents[1].name
            name = package.removesuffix("_description").removesuffix("_simple")
        if name not in taken:
            taken.add(name)
            yield KnownFile(name, known_file.file, known_file.reference)


def _short_name(name: str) -> str:
    short = name.casefold()
    for suffix in _SUFFIXES:
        short = short.removesuffix(suffix)
    return short


def _nearest(text: str, known: Iterable[str], extra: bool) -> str:
    names = list(known)
    shorts = {_short_name(name): name for name in reversed(names)}
    close = difflib.get_close_matches(text.casefold(), [*shorts, *names], MAX_NAMED, 0.5)
    inside = [name for name in names if text.casefold() in name.casefold()]
    named = list(dict.fromkeys([*(shorts.get(n, n) for n in close), *inside, *sorted(names)]))
    listed = ", ".join(named[:MAX_NAMED]) + (" ..." if len(named) > MAX_NAMED else "")
    more = f"; {EXTRA} brings 60 more robots" if extra and not example_robots() else ""
    return f"a name such as {listed}{more}"
