"""The pages of the documentation, and the commands in their ``console`` blocks."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "benchmarks" / "README.md",
]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[str]:
    """The commands of a page, in order."""
    text = page.read_text(encoding="utf-8")
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


WITH_COMMANDS = [page for page in PAGES if commands(page)]
