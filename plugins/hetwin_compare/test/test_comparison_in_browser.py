"""Two runs side by side in a real browser: one clock, one camera, and what can be seen beside bodies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import Watched, open_page
from support.pushed_run import parting_runs

from hetwin_compare.compare import compare_runs
from hetwin_compare.page import comparison_page
from hetwin_core.episodes.episode import Episode

pytestmark = pytest.mark.browser
_GO = "async (time) => { await hetwin.seek(time); return hetwin.time; }"
_POSE = "([entity, run]) => hetwin.pose(entity, run)"
_DRAWN = """async () => {
  await hetwin.seek(hetwin.time);
  return document.querySelector(".hetwin-canvas canvas").toDataURL();
}"""
"""What is drawn, read before the browser lets go of it."""
_WITHIN_M = 1e-3


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return parting_runs(tmp_path_factory.mktemp("sides"))


@pytest.fixture(scope="module")
def page_file(runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "compared.html"
    path.write_text(comparison_page(compare_runs(*runs), *runs), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def compared(page_file: Path, browser: Any) -> Iterator[Watched]:
    """The page, ready, without a network."""
    with open_page(browser, offline=True) as watched:
        watched.page.goto(page_file.as_uri())
        assert watched.tell("async () => await hetwin.ready") is True
        yield watched


def test_both_runs_are_drawn_at_one_time(compared: Watched, runs: tuple[Path, Path]) -> None:
    episodes = [Episode.open(run) for run in runs]
    for wanted in (0.9, 0.2, 0.76, 0.74):
        time = compared.tell(_GO, wanted)
        assert time == pytest.approx(wanted, abs=0.05)
        for number, episode in enumerate(episodes):
            index = int(np.argmin(np.abs(episode.seconds - time)))
            for entity in ("ball", "box", "upper"):
                found = np.array(compared.tell(_POSE, [entity, number])[:3])
                expected = episode.pose(entity)[index, :3]
                assert np.linalg.norm(found - expected) < _WITHIN_M, (entity, number, time)


def test_the_first_difference_is_one_click_away(compared: Watched) -> None:
    compared.tell(_GO, 0.1)
    compared.page.locator(".how button.go").click()
    assert compared.tell("() => hetwin.time") == pytest.approx(0.75, abs=0.02)
    compared.tell(_GO, 0.1)
    mark = compared.page.locator(".hetwin-course .mark").first
    mark.scroll_into_view_if_needed()
    mark.click()
    assert compared.tell("() => hetwin.time") == pytest.approx(0.75, abs=0.02)


def test_there_are_two_time_lines_and_how_far_the_ball_is_apart(compared: Watched) -> None:
    page = compared.page
    assert page.locator(".hetwin-course h3").all_inner_texts() == ["one (here)", "other (there)"]
    assert page.locator(".hetwin-course .cursor").count() == 2
    assert page.locator(".hetwin-timeline .apart .name").all_inner_texts() == ["ball apart"]
    assert page.locator(".hetwin-timeline .apart .most").inner_text() == "20 mm"


def test_one_in_the_other_draws_something_else(compared: Watched) -> None:
    page = compared.page
    compared.tell(_GO, 0.75)  # the ball is apart by then
    beside = compared.tell(_DRAWN)
    page.get_by_role("button", name="One in the other").click()
    assert page.locator("button[aria-pressed=true]", has_text="One in the other").count() == 1
    assert compared.tell(_DRAWN) != beside
    assert compared.tell(_POSE, ["ball", 1]) != compared.tell(_POSE, ["ball", 0])
    page.get_by_role("button", name="Side by side").click()
    assert compared.tell(_DRAWN) == beside


def test_the_camera_follows_an_object(compared: Watched) -> None:
    compared.tell(_GO, 0.0)
    compared.page.get_by_label("Follow").select_option("box")
    before, at = compared.tell("() => hetwin.camera"), compared.tell(_POSE, ["box", 0])
    assert before[3:] == pytest.approx(at[:3], abs=1e-6)
    compared.tell(_GO, 0.9)
    after, now = compared.tell("() => hetwin.camera"), compared.tell(_POSE, ["box", 0])
    assert after[3:] == pytest.approx(now[:3], abs=1e-6)
    moved = np.subtract(after[:3], before[:3])
    assert moved == pytest.approx(np.subtract(now[:3], at[:3]), abs=1e-6)
    compared.page.get_by_label("Follow").select_option("nothing")


def test_walls_are_hidden_only_where_they_are_in_front_of_what_moves(compared: Watched) -> None:
    walls = compared.page.get_by_label("Hide walls in front")
    assert not walls.is_checked()  # from above nothing is in front of the box and the hand
    compared.tell(_GO, 0.9)
    plain = compared.tell(_DRAWN)
    walls.check()
    assert compared.tell(_DRAWN) == plain
    walls.uncheck()


def test_what_there_is_beside_bodies_can_be_seen(compared: Watched) -> None:
    page = compared.page
    compared.tell(_GO, 0.9)
    page.get_by_text("What to see").click()
    plain = compared.tell(_DRAWN)
    for name in ("Contacts and forces", "Frames", "Paths of objects"):
        page.get_by_label(name).check()
        assert compared.tell(_DRAWN) != plain, name
        page.get_by_label(name).uncheck()
        assert compared.tell(_DRAWN) == plain, name


def test_it_asked_for_nothing_and_nothing_failed(compared: Watched, page_file: Path) -> None:
    assert compared.requests == [page_file.as_uri()]
    assert compared.errors == []
