"""What needs a plugin or an example is skipped by name where that is not installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

PAGES = {
    "asking": "hetwin_tables",
    "flaws": "hetwin_tables",
    "fluid": "hetwin_tables",
    "fmu": "hetwin_fmu",
    "household": "hetwin_household",
    "machines": "hetwin_machines",
    "twin_lab": "hetwin_twin_lab",
}
"""Page of `docs` -> the plugin or example that its commands need."""


def needs(plugin: str) -> pytest.MarkDecorator:
    """Skip what is marked where a plugin, such as ``hetwin_machines``, is not installed."""
    return pytest.mark.skipif(find_spec(plugin) is None, reason=f"{plugin} is not installed")
