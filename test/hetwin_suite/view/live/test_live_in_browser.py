"""The page of a run that goes on, in a real browser: held, stepped, paced, paused, and taken in hand."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.browser import Watched, open_page
from support.warm_starts import WarmProcess

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[4]
MOST_EVENTS = 12
"""More than there are before the box is held."""


@contextmanager
def shown(
    out: Path, *options: str, scenario: str | Path = "pick_and_place"
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A run that is held before its first step, and the address of its page."""
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", str(scenario), "--show"]
    fixed = ["--hold", "--port", "0", "--no-browser", "--no-page", "--out", str(out)]
    process = WarmProcess(
        [*command, *fixed, *options],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]+", process.stdout.readline())
        assert found is not None
        yield process, found[0]
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


class Live:
    """The page as others can rely on it."""

    def __init__(self, watched: Watched) -> None:
        self.page: Page = watched.page

    def data(self, name: str) -> Any:
        """One of the values that `#hetwin` carries."""
        return self.page.get_attribute("#hetwin", f"data-{name}")

    def until(self, name: str, value: str) -> None:
        """Wait for a value."""
        script = "([name, value]) => document.getElementById('hetwin').dataset[name] === value"
        self.page.wait_for_function(script, arg=[name, value])

    def owner(self) -> str:
        """The model that is responsible for the box's pose."""
        return str(json.loads(self.data("owners"))["box.pose"])

    def go_to_next_event(self) -> None:
        """Step to the next event, and wait until it is there."""
        before = self.data("time")
        self.press("Step to next event")
        script = "t => (d => d.state === 'paused' && d.time !== t)(document.getElementById('hetwin').dataset)"
        self.page.wait_for_function(script, arg=before)

    def until_owner(self, model: str) -> None:
        """Wait until a model is responsible for the box's pose."""
        script = (
            "m => JSON.parse(document.getElementById('hetwin').dataset.owners)['box.pose'] === m"
        )
        self.page.wait_for_function(script, arg=model)

    def press(self, name: str) -> None:
        """Press a button."""
        self.page.get_by_role("button", name=name).click()

    def choose(self, model: str) -> None:
        """Press the button of a model in the row of the box's pose."""
        row = self.page.get_by_role("region", name="box.pose")
        row.get_by_role("button", name=model).click()


def summary(out: Path) -> Any:
    """How the run went."""
    return json.loads((out / "summary.json").read_text())


def test_a_run_is_taken_in_hand(browser: Browser, tmp_path: Path) -> None:
    out, scenario = tmp_path / "run", tmp_path / "with_button.yaml"
    whole = ROOT / "scenarios" / "pick_and_place.yaml"
    buttons = "buttons: {call the porter: {event: called, arguments: {floor: 2}}}"
    scenario.write_text(f"scenario: with_button\nextends: {whole}\n{buttons}\n", encoding="utf-8")
    with (
        shown(out, "--duration", "5", scenario=scenario) as (process, address),
        open_page(browser) as watched,
    ):
        live = Live(watched)
        watched.page.goto(address)
        live.until("state", "paused")
        assert float(live.data("time")) == 0.0
        for _ in range(4):
            live.press("Step 40")
        live.until("time", "0.4")
        live.until("state", "paused")
        watched.page.get_by_label("Pace", exact=True).select_option("0.1")
        live.press("call the porter")
        live.press("Go on")
        live.until("state", "running")
        live.press("Pause")
        live.until("state", "paused")
        watched.page.get_by_label("Pace", exact=True).select_option("")
        for _ in range(MOST_EVENTS):
            if live.owner() == "holding":
                break
            live.go_to_next_event()
        stands = live.data("time")
        live.choose("physics")
        live.until_owner("physics")
        assert live.data("time") == stands
        live.until("handovers", "2")
        live.press("Go on")
        live.until("state", "over")
        assert "deterministic: false" in watched.page.get_by_role("status").inner_text()
        assert process.wait(60) == 0
        assert not watched.errors
        assert all(
            url.startswith((address.partition("?")[0], "data:", "ws:")) for url in watched.requests
        )
    ended = summary(out)
    assert not ended["deterministic"]
    by_hand = [h for h in ended["handovers"] if h["cause"] == "by hand"]
    assert [(h["entity"], h["to"]) for h in by_hand] == [("box", "physics")]
    done = {e["name"]: e["arguments"] for e in ended["events"] if e["source"] == "by hand"}
    assert done["called"] == {"floor": 2}
    assert set(done) == {"called", "held", "stepped", "went_on", "paced", "handed_over"}
