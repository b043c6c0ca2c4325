"""The page of the front door is what its modules say; their examples are run where the modules are tested."""

from __future__ import annotations

import runpy
from pathlib import Path

MADE = Path(__file__).resolve().parents[2] / "docs" / "make_front_door_page.py"


def test_the_page_is_up_to_date() -> None:
    made = runpy.run_path(str(MADE))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"]()
