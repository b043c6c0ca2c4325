"""Packages of others, installed for a test as pip would install them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, points: str, **modules: str
) -> None:
    """Install a package into a folder that Python looks through from now on in this test.

    Args:
        folder: may hold other packages.
        name: of the package.
        points: its entry points, as pip writes them.
        modules: module -> its text.
    """
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)
        monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.syspath_prepend(folder)
