"""What needs a plugin is skipped by name where the plugin is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec

import pytest

OF_COMMANDS = {
    r"hetwin learn ": "hetwin_learning",
    r" --sql": "hetwin_sql",
    r"show .* --out [^ .]*(\s|$)": "hetwin_sql",
    r" --foxglove": "hetwin_foxglove",
    r"show .* --out \S*\.mcap": "hetwin_foxglove",
    r"hetwin new .* --episode ": "hetwin_datasets",
}
"""Pattern of a command -> the plugin without which it does not work."""


def needs(plugin: str) -> pytest.MarkDecorator:
    """Skip what is marked where a plugin, such as ``hetwin_machines``, is not installed."""
    return pytest.mark.skipif(find_spec(plugin) is None, reason=f"{plugin} is not installed")


def missing_for(commands: Iterable[str]) -> list[str]:
    """The plugins that commands need and that are not installed."""
    text = "\n".join(commands)
    needed = {plugin for words, plugin in OF_COMMANDS.items() if re.search(words, text)}
    return sorted(plugin for plugin in needed if find_spec(plugin) is None)
