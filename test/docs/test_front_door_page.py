"""The page of the front door is what its modules say; their examples are run where the modules are tested."""

from __future__ import annotations

import runpy
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "front_door.md"


def test_the_page_is_up_to_date() -> None:
    made = runpy.run_path(str(PAGE.with_name("make_front_door_page.py")))
    assert PAGE.read_text(encoding="utf-8") == made["page"]()
