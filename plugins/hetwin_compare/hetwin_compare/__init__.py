"""Compares two runs: differences of their inputs, the first divergence, and its consequences.

For example::

    import hetwin_suite
    from hetwin_compare import compare_runs

    one = hetwin_suite.run("pick_and_place", duration=0.5)
    other = hetwin_suite.run("pick_and_place", duration=0.5, seed=2)
    print(compare_runs(one.folder, other.folder).to_json()["divergence"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hetwin_compare.compare import compare_runs as compare_runs
    from hetwin_compare.comparison import Comparison as Comparison

_HOME = {"compare_runs": "hetwin_compare.compare", "Comparison": "hetwin_compare.comparison"}


def __getattr__(name: str) -> object:
    """Import a name when it is first used (PEP 562), since `hetwin --help` imports this package."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
