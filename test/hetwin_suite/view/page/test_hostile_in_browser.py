"""Names and texts with markup stay text where the pages' script draws them, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.browser import Watched, open_page
from support.hostile import HOSTILE, IMAGE, hostile_episode
from support.plugins import needs

from hetwin_core.ensemble.conductor.controls import OnDone
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.view.live.feed import Happening, HappeningKind, LiveState, Phase, RunEnd, RunFacts
from hetwin_suite.view.live.hands import Control
from hetwin_suite.view.report.page import page

pytestmark = pytest.mark.browser
_IMAGES = "() => document.querySelectorAll('img, b[onmouseover]').length"


def assert_untouched(watched: Watched) -> None:
    """Check that nothing of a text ran or was loaded."""
    assert watched.tell("() => window.hacked") is None
    assert watched.tell(_IMAGES) == 0
    assert watched.errors == []
    assert not [url for url in watched.requests if url.endswith("/x")]


@needs("hetwin_machines")  # its time line has names and bars of texts
def test_the_report(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(page(hostile_episode(), BadInput(IMAGE)), encoding="utf-8")
    with open_page(browser, offline=True) as watched:
        watched.page.goto(file.as_uri())
        assert watched.tell("async () => await hetwin.ready") is True
        for plot in watched.page.locator(".plot").all():
            plot.scroll_into_view_if_needed()
            plot.locator("canvas, .hetwin-timeline").first.wait_for()
        named = watched.page.locator(".hetwin-timeline .name", has_text=IMAGE)
        named.first.wait_for(state="attached")
        assert IMAGE in watched.page.locator(".hetwin-legend button").all_text_contents()
        bar = watched.page.locator(".plot .hetwin-timeline .bar", has_text=HOSTILE[1]).first
        bar.hover()
        assert HOSTILE[1] in watched.page.get_by_role("tooltip").inner_text()
        assert_untouched(watched)


class HostileFeed:
    """A run in which every name and text is hostile, and that can be over."""

    over: RunEnd | None = None

    def __init__(self) -> None:
        self.episode = episode = hostile_episode()
        names = tuple(model.name for model in episode.models)
        able = {slot.attribute.name: names for slot in episode.layout.slots}
        self.begun = RunFacts(IMAGE, episode.layout, episode.models, able, not_held=IMAGE)

    def now(self) -> LiveState:
        """The first state."""
        return LiveState(0, self.episode.values[0], self.episode.owners[0], Phase.PAUSED)

    def happened(self, since: int) -> tuple[int, list[Happening]]:
        """One thing of each kind."""
        more = {"from": IMAGE, "to": HOSTILE[1], "source": IMAGE}
        rows = [
            Happening(0, kind, text, text, text, more) for kind in HappeningKind for text in HOSTILE
        ]
        return len(rows), rows[since:]

    def do(self, deed: Control, done: OnDone) -> None:
        """Refuse everything, with a text."""
        done(IMAGE)


def test_the_page_of_a_run_that_goes_on(browser: Any) -> None:
    server = pytest.importorskip("hetwin_suite.view.live.server")
    feed = HostileFeed()
    served = server.LiveServer(feed, feed, host="127.0.0.1", port=0, complain=print)
    try:
        with open_page(browser) as watched:
            watched.page.goto(served.address)
            title = "text => document.querySelector('h1').textContent === text"
            watched.page.wait_for_function(title, arg=IMAGE)
            words = watched.page.get_by_role("log").get_by_text(HOSTILE[2])
            words.first.wait_for()
            feed.over = RunEnd("failed", f"failed: {IMAGE}", folder=HOSTILE[1])
            said = watched.page.get_by_role("status")
            said.get_by_text("The run is over").wait_for()
            assert IMAGE in said.inner_text()
            assert HOSTILE[1] in said.inner_text()
            assert_untouched(watched)
    finally:
        served.close()
