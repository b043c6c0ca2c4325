"""What needs a plugin or an example is skipped by name where its package is not installed."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec

import pytest

from hetwin_core.ensemble.extras import COMMANDS, SCENARIOS

PACKAGES = {"examples": "hetwin_tables", "machines": "hetwin_machines"}
"""Extra with commands or scenarios -> a package that it brings."""


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skip what is marked where one of the packages, such as ``hetwin_machines``, is not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


def needs_of(lines: Iterable[str]) -> pytest.MarkDecorator:
    """Skip what is marked where a package is missing that brings a command or a scenario of command lines."""
    extras: set[str] = set()
    for line in lines:
        words = line.split()
        named = {" ".join(words[1:end]) for end in (2, 3)}
        extras |= {COMMANDS[name] for name in named & {*COMMANDS}}
        extras |= {SCENARIOS[word] for word in words if word in SCENARIOS}
    return needs(*sorted({PACKAGES[extra] for extra in extras}))
