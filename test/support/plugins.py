"""What needs a plugin or an example is skipped by name where that is not installed."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest


def needs(plugin: str) -> pytest.MarkDecorator:
    """Skip what is marked where a plugin, such as ``hetwin_machines``, is not installed."""
    return pytest.mark.skipif(find_spec(plugin) is None, reason=f"{plugin} is not installed")


def benchmark(module: str, needed: str) -> Any:
    """Import a module of the benchmarks; where a package that it needs is not installed, skip the calling module."""
    if find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed", allow_module_level=True)
    return import_module(module)
