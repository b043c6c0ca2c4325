"""What installed packages add to hetwin: their entry points, imported when they are used."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.extras import installs
from hetwin_core.ensemble.nearest import one_of


def installed(group: str) -> list[EntryPoint]:
    """The entry points of a group, in the order in which Python finds their packages.

    The metadata of all packages is read once, and again only if the packages come from other folders: with a few
    hundred of them that takes as long as it takes to import a physics engine.
    """
    points: list[EntryPoint] = list(_all(tuple(sys.path)).select(group=group))
    return points


@cache
def _all(_folders: tuple[str, ...]) -> Any:
    return entry_points()  # of a type that depends on the version of Python


def packages_in(group: str) -> frozenset[str]:
    """The top-level packages of the modules that the entry points of a group name."""
    return _packages(group, tuple(sys.path))


@cache
def _packages(group: str, folders: tuple[str, ...]) -> frozenset[str]:
    return frozenset(point.module.partition(".")[0] for point in _all(folders).select(group=group))


def package_of(point: EntryPoint) -> str:
    """The name of the package that an entry point is of."""
    return point.dist.name if point.dist is not None else point.module


@dataclass(frozen=True, slots=True)
class Group:
    """One kind of what packages add; of several entry points with one name, the first that Python finds counts.

    Attributes:
        name: of the group, e.g. ``hetwin.skills``.
        one: what one of them is, in words.
        expected: what an entry point is to name.
        brought: names that packages of ours have, and the extras that install these.
    """

    name: str
    one: str
    expected: str
    brought: Mapping[str, str] = field(default_factory=dict)

    def points(self) -> dict[str, EntryPoint]:
        """The entry points that count, by name, sorted."""
        first = {point.name: point for point in reversed(installed(self.name))}
        return dict(sorted(first.items()))

    def names(self) -> list[str]:
        """The names of all, sorted."""
        return list(self.points())

    def known(self) -> list[str]:
        """The names of all that are installed or that an extra brings, sorted."""
        return sorted({*self.names(), *self.brought})

    def point(self, name: str) -> EntryPoint | None:
        """The entry point of this name; None if there is none."""
        return self.points().get(name)

    def load(self, name: str, where: str | None = None) -> Any:
        """Import one.

        Args:
            name: of it.
            where: option or key that names it.

        Raises:
            BadInput: if there is none of this name, or it cannot be imported; its package is named.
        """
        point = self.point(name)
        if point is None:
            extra = self.brought.get(name)
            expected = one_of(name, self.names()) if extra is None else installs(extra)
            problem = f"no such {self.one} is installed"
            raise BadInput(problem, where=where, found=name, expected=expected)
        return self.loaded(point)

    def loaded(self, point: EntryPoint) -> Any:
        """Import what one of the group's entry points names.

        Raises:
            BadInput: if it cannot be imported; its package is named.
        """
        try:
            return point.load()
        except Exception as error:  # a module of anyone's may raise anything while it is imported
            raise self.refused(point, f"{type(error).__name__}: {error}") from error

    def refused(self, point: EntryPoint, why: str) -> BadInput:
        """The error that one cannot be used."""
        return BadInput(
            f"the {self.one} {point.name} of the package {package_of(point)} cannot be used: {why}",
            where=f"{self.name}.{point.name}",
            found=point.value,
            expected=self.expected,
        )

    def each(self) -> Iterator[tuple[EntryPoint, Any]]:
        """Import all; one that cannot be imported is named in a warning, and left out."""
        for point in self.points().values():
            try:
                found = self.loaded(point)
            except BadInput as error:
                warnings.warn(str(error), stacklevel=2)
            else:
                yield point, found
