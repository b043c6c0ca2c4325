"""What needs a plugin is skipped by name where the plugin is not installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def needs(plugin: str) -> pytest.MarkDecorator:
    """Skip what is marked where a plugin, such as ``hetwin_machines``, is not installed."""
    return pytest.mark.skipif(find_spec(plugin) is None, reason=f"{plugin} is not installed")
