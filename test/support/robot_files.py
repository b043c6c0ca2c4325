"""Where the robots' descriptions lie, for tests that are skipped without them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hetwin_core.ensemble.resources import example_robots

ROOT = Path(__file__).resolve().parents[2]
TABLETOP_ARM = ROOT / "urdf" / "tabletop_arm.urdf"


def example(path: str) -> Path:
    """A file of the package example-robot-data."""
    folder = example_robots()
    if folder is None:
        pytest.skip("the package example-robot-data is not installed")
    return folder / "robots" / path


def data(path: str) -> Path:
    """A file of the folder with recorded telemetry."""
    folder = Path(os.environ.get("HETWIN_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / path).exists():
        pytest.skip(f"{folder / path} is not there (set HETWIN_DATA)")
    return folder / path
