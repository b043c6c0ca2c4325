"""Finds the suite's packages in this repository, and none of its other folders, for an editable installation.

Every Python of the environment imports this when it starts, so it imports next to nothing.
"""

import sys
from importlib.machinery import PathFinder

PACKAGES = frozenset({"hetwin_core", "model_nodes", "conductor_node", "hetwin_suite"})
"""The packages of the wheel, as in pyproject.toml."""
ROOT = __file__.rpartition("/cmake/")[0]


class SuiteFinder:
    """Finder of the packages, for ``sys.meta_path``."""

    @staticmethod
    def find_spec(name: str, *_: object) -> object:
        """Return the spec of a package of the suite; None for every other module."""
        return PathFinder.find_spec(name, [ROOT]) if name in PACKAGES else None


sys.meta_path.append(SuiteFinder)
