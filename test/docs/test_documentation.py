"""Links, YAML and Python of README and docs are right; their commands are tested as shells."""

from __future__ import annotations

import re
from pathlib import Path

from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.source import SPEC_OF, kind_of
from hetwin_core.ensemble.triggers.schema import TriggerEntry

ROOT = Path(__file__).resolve().parents[2]
COMPANIONS = [ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")]
READMES = sorted(ROOT.glob("examples/**/README.md")) + sorted(ROOT.glob("plugins/*/README.md"))
PAGES = [
    *(*COMPANIONS, *sorted((ROOT / "docs").glob("*.md"))),
    *(ROOT / "benchmarks/README.md", *READMES),
]
REMOVABLE = ("examples", "plugins")
"""Folders without which the suite works."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def blocks(language: str) -> list[tuple[str, str]]:
    """(page, text) of all code blocks in a language."""
    return [
        (page.name, text)
        for page in PAGES
        for found, text in BLOCK.findall(page.read_text(encoding="utf-8"))
        if found == language
    ]


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target in LINK.findall(page.read_text(encoding="utf-8")):
            where = (page.parent / target).resolve().relative_to(ROOT).parts[0]
            if where in REMOVABLE and not (ROOT / where).is_dir():
                continue
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_yaml_of_the_guide_fits_the_schema() -> None:
    for page, text in blocks("yaml"):
        if page not in ("scenarios.md", "sources.md"):
            continue
        data = strict_yaml.parse(text, Path(page)).data
        if "source" in data:
            kind = kind_of(data["source"])
            assert kind is not None
            SPEC_OF[kind].model_validate(data["source"])
        for trigger in data.get("triggers", []):
            TriggerEntry.model_validate(trigger)
