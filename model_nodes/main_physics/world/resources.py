"""Finds the files that worlds and robots refer to: package://, model://, file:// and relative paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import Kind, example_robots, find_known

_WEB = ("http://", "https://", "ssh://", "ftp://")
_PACKAGES = ("package://", "model://")
SCHEMES = (*_PACKAGES, "file://")
"""Prefixes of references to local files."""

_FUEL = re.compile(
    r"https?://([^/]+)/\d+\.\d+/([^/]+)/models/([^/]+)(?:/(\d+|tip))?(?:/files/(.*))?/?",
    re.IGNORECASE,
)
"""Matches server, owner, model, version and path of a Gazebo Fuel URL."""


def _from_environment(name: str) -> list[Path]:
    return [Path(part) for part in os.environ.get(name, "").split(os.pathsep) if part]


def search_path(extra: Iterable[Path] = ()) -> list[Path]:
    """Return the folders in which packages and models are searched for, in order."""
    prefixes = [p / "share" for p in _from_environment("AMENT_PREFIX_PATH")]
    folders = [
        *extra,
        *_from_environment("GZ_SIM_RESOURCE_PATH"),
        *_from_environment("SDF_PATH"),
        *_from_environment("ROS_PACKAGE_PATH"),
        *prefixes,
    ]
    examples = example_robots()
    if examples is not None:
        folders += [examples.parent, examples / "robots"]
    return folders


def find_description(text: str, *kinds: Kind, where: str | None = None) -> Path:
    """Return the file of a robot or world that a user names by a path, a known name, or package://.

    Raises:
        BadInput: if there is no such file.
    """
    if text.startswith(SCHEMES):
        try:
            return Resources(Path.cwd()).find(text)
        except BadInput as error:
            raise error.at(where) from None
    return find_known(text, *kinds, where=where).file


def _in_folder(folder: Path, package: str, path: str) -> Path | None:
    # A folder of the search path may contain packages, or be a package itself.
    candidates = [folder / package / path]
    if folder.name == package:
        candidates.append(folder / path)
    return next((c for c in candidates if c.exists()), None)


def in_fuel_cache(url: str) -> Path | None:
    """Return the folder or file of a Gazebo Fuel URL in Gazebo's cache; None if it has not been downloaded."""
    match = _FUEL.fullmatch(url)
    if match is None:
        return None
    server, owner, name, version, path = (unquote(part or "") for part in match.groups())
    cache = Path(os.environ.get("GZ_FUEL_CACHE_PATH", Path.home() / ".gz" / "fuel"))
    folder = cache / server.lower() / owner.lower() / "models" / name.lower()
    if not folder.is_dir():
        return None
    versions = {int(entry.name): entry for entry in folder.iterdir() if entry.name.isdigit()}
    newest = (
        versions.get(int(version)) if version.isdigit() else versions.get(max(versions, default=0))
    )
    found = None if newest is None else newest / path
    return found if found is not None and found.exists() else None


class Resources:
    """Resolves the references of one file.

    Args:
        base: folder of that file.
        folders: additional folders that are searched first.
        packages: package -> its folder, the only one in which the package is searched for.
    """

    def __init__(
        self,
        base: Path,
        folders: Sequence[Path] = (),
        packages: Mapping[str, Path] | None = None,
    ) -> None:
        self._base = base
        self._packages = dict(packages or {})
        self._folders = [*folders, base, *base.parents[:3], *search_path()]

    @property
    def base(self) -> Path:
        """Folder of the file whose references are resolved."""
        return self._base

    def beside(self, base: Path) -> Resources:
        """Return resources for a file in another folder, with this search path added."""
        return Resources(base, [self._base, *self._folders], self._packages)

    def only_beside(self, base: Path) -> Resources:
        """Return resources for a file in another folder, with only the same packages."""
        return Resources(base, packages=self._packages)

    def find(self, reference: str) -> Path:
        """Find the file or folder of a reference.

        Raises:
            BadInput: if it does not exist; lists the folders that were searched.
        """
        text = unquote(reference.strip())
        if text.startswith(_WEB):
            cached = in_fuel_cache(text)
            if cached is not None:
                return cached
            raise BadInput(
                "is on the network, and nothing is downloaded",
                found=text,
                expected="a local file, or a model of Gazebo Fuel that `gz fuel download --url` has put"
                " into its cache",
            )
        for scheme in _PACKAGES:
            if text.startswith(scheme):
                return self._find_in_package(text, text.removeprefix(scheme))
        path = Path(text.removeprefix("file://")).expanduser()
        candidates = [path] if path.is_absolute() else [self._base / path]
        candidates += [folder / path for folder in self._folders if not path.is_absolute()]
        for candidate in candidates:
            if candidate.exists():
                return candidate
        raise BadInput("does not exist", found=text, expected=f"a file below {self._base}")

    def _find_in_package(self, text: str, path: str) -> Path:
        package, _, inner = path.partition("/")
        if package in self._packages:
            return self._find_in_mapped(text, package, inner)
        for folder in self._folders:
            found = _in_folder(folder, package, inner)
            if found is not None:
                return found
        raise BadInput(
            "is in none of the folders searched",
            found=text,
            expected=f"a folder {package} in GZ_SIM_RESOURCE_PATH, ROS_PACKAGE_PATH, "
            "AMENT_PREFIX_PATH, beside the file, or in the package example-robot-data, "
            f"or `packages: {{{package}: FOLDER}}` in the scenario",
        )

    def _find_in_mapped(self, text: str, package: str, inner: str) -> Path:
        folder = self._packages[package]
        for candidate in (folder / inner, folder / package / inner):
            if candidate.exists():
                return candidate
        raise BadInput(
            f"is not in the folder of {package}", found=text, expected=f"a file below {folder}"
        )
