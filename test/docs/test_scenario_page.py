"""The page of a scenario's keys is the schema."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_page_is_the_schema() -> None:
    made = runpy.run_path(str(DOCS / "make_scenario_page.py"))
    page = (DOCS / "reference" / "scenario.md").read_text(encoding="utf-8")
    assert page == made["page"](), "run python docs/make_scenario_page.py"
    assert "| `scenario` |" in page
    assert "## ModelEntry" in page
