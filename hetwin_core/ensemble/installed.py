"""What installed packages add to hetwin: their entry points."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any


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
