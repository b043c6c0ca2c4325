"""The page about watching and looking back: its commands work, and its pictures are of what they leave.

With ``HETWIN_PICTURES`` naming a folder the pictures are written there, e.g. into ``docs/pictures``.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.browser import PATIENCE_MS, Watched, open_page
from support.hetwin_command import hetwin
from support.pages import ROOT, commands

PAGE = ROOT / "docs" / "eyes.md"
PICTURES = re.compile(r"\]\(pictures/(\w+)\.png\)")
SIZE = {"width": 1000, "height": 760}
_LONG_S = 120

pytestmark = [pytest.mark.browser, pytest.mark.long]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where the page's commands were run, one after the other."""
    path = tmp_path_factory.mktemp("eyes")
    before = Path.cwd()
    os.chdir(path)
    try:
        for line in commands(PAGE):
            said = hetwin(*shlex.split(line)[1:])
            assert said.code == 0, f"{line}\n{said.err}"
        yield path
    finally:
        os.chdir(before)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wanted = os.environ.get("HETWIN_PICTURES")
    return Path(wanted) if wanted else tmp_path_factory.mktemp("pictures")


@contextmanager
def at(browser: Any, address: str) -> Iterator[Watched]:
    """A page of which pictures are taken."""
    with open_page(browser) as watched:
        watched.page.set_viewport_size(SIZE)
        watched.page.goto(address)
        yield watched
        assert watched.errors == []


def looked_back(watched: Watched, time: float) -> None:
    watched.tell("async () => await hetwin.ready")
    watched.tell("async (time) => await hetwin.seek(time)", time)


def taken(watched: Watched, pictures: Path, name: str) -> None:
    assert name in PICTURES.findall(PAGE.read_text("utf-8"))
    file = pictures / f"{name}.png"
    watched.page.screenshot(path=file)
    assert file.stat().st_size > 20_000


def test_a_dropped_ball_in_its_report(folder: Path, browser: Any, pictures: Path) -> None:
    report = folder / "runs" / "ensemble" / "report.html"
    assert report.stat().st_size < 10e6
    with at(browser, report.as_uri()) as watched:
        looked_back(watched, 6.4)
        assert "ball was dropped" in watched.page.locator(".how").first.inner_text()
        taken(watched, pictures, "eyes_report")
        page = watched.page
        page.get_by_text("What to see").click()
        for name in ("Paths of objects", "Frames", "Uncertainty of estimates"):
            page.get_by_label(name).check()
        page.get_by_label("Follow").select_option("ball")
        looked_back(watched, 2.9)
        page.locator(".hetwin-canvas").scroll_into_view_if_needed()
        taken(watched, pictures, "eyes_seen")


def test_the_drop_compared_with_rigid_binding(folder: Path, browser: Any, pictures: Path) -> None:
    runs = [folder / "runs" / name for name in ("ensemble", "rigid")]
    found = json.loads(hetwin("compare", *runs, "--json").out)
    to = {side: [row["to"] for row in rows] for side, rows in found["handovers"].items()}
    assert (to["only_here"], to["only_there"]) == (["in_hand", "physics"], ["holding", "physics"])
    page = folder / "compared.html"
    assert page.stat().st_size < 10e6
    with at(browser, page.as_uri()) as watched:
        looked_back(watched, found["objects"]["ball"]["first"] + 0.2)
        poses = [watched.tell("(run) => hetwin.pose('ball', run)", run) for run in (0, 1)]
        assert max(abs(a - b) for a, b in zip(*poses, strict=True)) > 0.005
        watched.page.get_by_label("Hide walls in front").check()
        taken(watched, pictures, "eyes_compared")


def test_a_run_that_goes_on(browser: Any, pictures: Path, tmp_path: Path) -> None:
    words = ["run", "pick_and_place", "--show", "--hold", "--pace", "1", "--port", "0"]
    process = subprocess.Popen(
        [sys.executable, "-m", "hetwin_suite.cli.command", *words, "--no-browser", "--no-page"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = next(
            found[0] for line in process.stdout if (found := re.search(r"http\S+", line))
        )
        with at(browser, address) as watched:
            page = watched.page
            page.wait_for_selector("#hetwin[data-state=paused]", timeout=PATIENCE_MS)
            for _ in range(60):
                if "holding" in (page.locator("#hetwin").get_attribute("data-owners") or ""):
                    break
                before = page.locator("#hetwin").get_attribute("data-time")
                page.get_by_role("button", name="Step to next event").click()
                page.wait_for_function(
                    "(before) => { const it = document.getElementById('hetwin').dataset;"
                    " return it.time !== before && it.state === 'paused'; }",
                    arg=before,
                )
            taken(watched, pictures, "eyes_live")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(_LONG_S)
