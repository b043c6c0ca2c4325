"""Writes the dist-info folders of the project's distributions for installations that pip does not make.

Usage: write_metadata.py FOLDER
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from python_packages import ROOT, beside


def _metadata(project: dict[str, Any]) -> Iterator[str]:
    yield "Metadata-Version: 2.1"
    yield f"Name: {project['name']}"
    yield f"Version: {project['version']}"
    yield f"Summary: {project['description']}"
    yield f"Requires-Python: {project['requires-python']}"


def _entry_points(project: dict[str, Any]) -> Iterator[str]:
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    for group, entries in groups.items():
        yield f"[{group}]"
        yield from (f"{name} = {target}" for name, target in entries.items())
        yield ""


def write_dist_info(pyproject: Path, folder: Path) -> Path:
    """Write METADATA and entry_points.txt of the project into its dist-info folder below `folder`."""
    project = tomllib.loads(pyproject.read_text())["project"]
    name = re.sub(r"[-_.]+", "_", project["name"])
    dist_info = folder / f"{name}-{project['version']}.dist-info"
    dist_info.mkdir(parents=True, exist_ok=True)
    for file, lines in (("METADATA", _metadata), ("entry_points.txt", _entry_points)):
        (dist_info / file).write_text("\n".join(lines(project)) + "\n")
    return dist_info


if __name__ == "__main__":
    for distribution in (ROOT, *beside()):
        write_dist_info(distribution / "pyproject.toml", Path(sys.argv[1]))
