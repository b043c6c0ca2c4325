"""What needs a plugin or an example is skipped by name where its package is not installed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from hetwin_core.ensemble.installed import COMMANDS, SCENARIOS

ROOT = Path(__file__).resolve().parents[2]
BESIDE = [
    *sorted(ROOT.glob("plugins/*/pyproject.toml")),
    *ROOT.glob("examples/pyproject.toml"),
]
"""Manifests of the distributions that are developed beside the suite."""
MANIFESTS = [ROOT / "pyproject.toml", *BESIDE]
PACKAGES = {
    "calibration": "hetwin_calibration",
    "commanding": "hetwin_commanding",
    "compare": "hetwin_compare",
    "examples": "hetwin_tables",
    "datasets": "hetwin_datasets",
    "evidence": "hetwin_evidence",
    "futures": "hetwin_futures",
    "learn": "hetwin_learning",
    "machines": "hetwin_machines",
    "night": "hetwin_night",
    "programs": "hetwin_programs",
    "testing": "hetwin_testing",
}
"""Extra with commands or scenarios -> a package that it brings."""
OPTIONS = {
    r" --sql": "hetwin_sql",
    r'"operation":|examples/plans/': "hetwin_programs",
    r" --library aims": "hetwin_tables",
    r"compare .* --(noise|planned)": "hetwin_futures",
    r"list schema library": "hetwin_futures",
    r"show .* --out [^ .]*(\s|$)": "hetwin_sql",
    r" --foxglove": "hetwin_foxglove",
    r"show .* --out \S*\.mcap": "hetwin_foxglove",
    r"hetwin new .* --episode ": "hetwin_datasets",
    r"\b(insertion|uncertain_environment)(_force)?(\s|$)": "hetwin_in_hand",
}
"""Pattern of a command's options -> the package without which they do not work."""


in_examples = pytest.mark.skipif(
    not (ROOT / "examples").is_dir(), reason="the folder examples is not here"
)
"""Skip what reads a file of `examples/`, where that folder was taken away."""


def needs(*packages: str) -> pytest.MarkDecorator:
    """Skip what is marked where one of the packages, such as ``hetwin_machines``, is not installed."""
    missing = [package for package in packages if find_spec(package) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is not installed")


def needs_of(lines: Iterable[str]) -> pytest.MarkDecorator:
    """Skip what is marked where a package is missing that brings what command lines name."""
    lines = list(lines)
    extras: set[str] = set()
    packages: set[str] = set()
    for line in lines:
        packages |= {package for words, package in OPTIONS.items() if re.search(words, line)}
        words = line.split()
        named = {" ".join(words[1:end]) for end in (2, 3)}
        extras |= {COMMANDS[name] for name in named & {*COMMANDS}}
        extras |= {SCENARIOS[word] for word in words if word in SCENARIOS}
    marked = needs(*sorted(packages | {PACKAGES[extra] for extra in extras}))
    if any(" examples/" in line for line in lines) and not (ROOT / "examples").is_dir():
        return in_examples
    return marked


def benchmark(module: str, needed: str) -> Any:
    """Import a module of the benchmarks; where a package that it needs is not installed, skip the calling module."""
    if find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed", allow_module_level=True)
    return import_module(module)
