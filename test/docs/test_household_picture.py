"""The picture in the page about household objects: what its command leaves, seen in the report.

With ``HETWIN_PICTURES`` naming a folder the picture is written there, e.g. into ``docs/pictures``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from support.browser import open_page
from support.hetwin_command import hetwin
from support.pages import ROOT
from support.plugins import needs

PAGE = ROOT / "docs" / "household.md"
NAME = "home_cup_in_the_hand"
SIZE = {"width": 1000, "height": 700}
TAKEN_UP_S = 17.0

pytestmark = [pytest.mark.browser, pytest.mark.long, needs("hetwin_home")]


def test_the_cup_in_the_hand(browser: Any, tmp_path: Path) -> None:
    assert f"](pictures/{NAME}.png)" in PAGE.read_text("utf-8")
    assert re.search(r"^hetwin run home_lab --out runs/home$", PAGE.read_text("utf-8"), re.M)
    said = hetwin("run", "home_lab", "--out", tmp_path / "home", "--duration", "18")
    assert said.code == 0, said.err
    wanted = os.environ.get("HETWIN_PICTURES")
    file = (Path(wanted) if wanted else tmp_path) / f"{NAME}.png"
    with open_page(browser) as watched:
        page = watched.page
        page.set_viewport_size(SIZE)
        page.goto((tmp_path / "home" / "report.html").as_uri())
        watched.tell("async () => await hetwin.ready")
        watched.tell("async (time) => await hetwin.seek(time)", TAKEN_UP_S)
        page.get_by_text("What to see").click()
        page.get_by_label("Follow").select_option("cup")
        watched.tell("async (time) => await hetwin.seek(time)", TAKEN_UP_S)
        canvas = page.locator(".hetwin-canvas")
        canvas.scroll_into_view_if_needed()
        canvas.screenshot(path=file)
        assert file.stat().st_size > 20_000
        assert watched.errors == []
