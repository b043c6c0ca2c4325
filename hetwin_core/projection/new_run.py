"""The folder of the next run, unless one is given."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path


def new_run_folder(base: Path, scenario: str) -> Path:
    """A folder below `base` that does not exist yet, named by the scenario and the local time; it is not created."""
    stem = f"{scenario}_{datetime.now().astimezone():%Y%m%d_%H%M%S}"
    for number in range(1, 1000):
        folder = base / (stem if number == 1 else f"{stem}_{number}")
        if not folder.exists():
            return folder
    raise FileExistsError(f"{base / stem} and 999 more exist")
