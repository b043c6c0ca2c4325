"""The report in a real browser: it plays, and everything with a time leads there."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import Watched, open_page
from transforms3d.quaternions import quat2mat

from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.scene_of import drawn_shapes, shape_corners
from hetwin_suite.view.palette import model_colours
from hetwin_suite.view.report import write_report

pytestmark = pytest.mark.browser
_SEEKS = 20
_WITHIN_M = 1e-3
_WITHIN_RAD = 2e-3
_GO = "async (time) => { await hetwin.seek(time); return hetwin.time; }"


@pytest.fixture(scope="module")
def episode(small_run: Any) -> Episode:
    return Episode.open(small_run.out)


@pytest.fixture(scope="module")
def report(small_run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(small_run.out, tmp_path_factory.mktemp("played") / "report.html")


@pytest.fixture(scope="module")
def played(report: Path, browser: Any) -> Iterator[Watched]:
    """The report, ready, without a network."""
    with open_page(browser, offline=True) as watched:
        watched.page.goto(report.as_uri())
        assert watched.tell("async () => await hetwin.ready") is True
        yield watched


def test_any_time_is_drawn_as_the_log_has_it(played: Watched, episode: Episode) -> None:
    colours = model_colours(episode.models)
    drawn = [slot.entity for slot in episode.layout.slots if slot.attribute.name == "pose"]
    owner = episode.layout.slot_id("box", "pose")
    chance = random.Random(7)
    for wanted in [chance.uniform(0.0, 3.0) for _ in range(_SEEKS)]:
        time = played.tell(_GO, wanted)
        assert time == pytest.approx(wanted, abs=0.05)
        index = int(np.argmin(np.abs(episode.seconds - time)))
        for name in drawn:
            found = np.array(played.tell("(name) => hetwin.pose(name)", name))
            assert np.linalg.norm(found[:3] - episode.pose(name)[index, :3]) < _WITHIN_M, name
            same = abs(float(found[[6, 3, 4, 5]] @ episode.pose(name)[index, 3:7]))
            assert 2 * np.arccos(min(1.0, same)) < _WITHIN_RAD, name
        model = episode.models[int(episode.owners[index, owner])]
        if not model.main:
            assert played.tell("() => hetwin.colour('box')") == colours[model.name]


def test_every_body_is_drawn_as_large_as_it_is_where_it_is(
    played: Watched, episode: Episode
) -> None:
    time = played.tell(_GO, 1.5)
    index = int(np.argmin(np.abs(episode.seconds - time)))
    compared = 0
    for entity in episode.layout.entities:
        corners = [shape_corners(shape) for shape in drawn_shapes(entity)]
        points = np.concatenate([np.empty((0, 3)), *corners])
        if not len(points):
            continue
        if episode.layout.has(entity.name, "pose"):
            pose = episode.pose(entity.name)[index]
            points = points @ quat2mat(pose[3:7]).T + pose[:3]
        found = np.array(played.tell("(name) => hetwin.extent(name)", entity.name)).reshape(2, 3)
        low, high = points.min(axis=0), points.max(axis=0)
        assert (found[0] >= low - _WITHIN_M).all(), entity.name
        assert (found[1] <= high + _WITHIN_M).all(), entity.name
        # What is round fills its box less when it is turned.
        assert (found[1] - found[0] >= 0.55 * (high - low)).all(), entity.name
        compared += 1
    assert compared >= 3


def test_what_has_a_time_leads_there(played: Watched) -> None:
    page = played.page
    page.get_by_role("button", name="box picked up by gripper from table").first.click()
    assert played.tell("() => hetwin.time") == pytest.approx(1.2, abs=2e-3)
    page.locator("a.time", has_text="2.000 s").first.click()
    assert played.tell("() => hetwin.time") == pytest.approx(2.0, abs=2e-3)
    dot = page.locator(".hetwin-timeline .dot.strong").first
    dot.scroll_into_view_if_needed()
    dot.click()
    assert played.tell("() => hetwin.time") == pytest.approx(0.9975, abs=5e-3)
    caption = page.locator(".hetwin-caption").inner_text()
    assert caption.startswith("1.00 s: box grasped by gripper; box.pose: physics to in_hand")


def test_a_drag_over_the_time_line_and_a_click_on_a_plot_go_to_times(played: Watched) -> None:
    page = played.page
    track = page.locator(".hetwin-timeline .row", has_text="box.pose").locator(".track")
    track.scroll_into_view_if_needed()
    box = track.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.2 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=3)
    page.mouse.up()
    assert played.tell("() => hetwin.time") == pytest.approx(1.5, abs=0.05)
    page.locator(".plot").nth(1).scroll_into_view_if_needed()
    plot = page.locator(".plot").nth(1).locator(".panel").first
    area = plot.bounding_box()
    assert area is not None
    page.mouse.click(area["x"] + 0.75 * area["width"], area["y"] + 0.5 * area["height"])
    assert played.tell("() => hetwin.time") == pytest.approx(2.25, abs=0.1)


def area_of(watched: Watched, plot: Any, selector: str) -> dict[str, float]:
    """Where a part of a plot is on the screen, once it is drawn, which it is when it comes into view."""
    plot.scroll_into_view_if_needed()
    part = plot.locator(selector).first
    part.scroll_into_view_if_needed()
    box: dict[str, float] = part.bounding_box()
    return box


def ticks(watched: Watched) -> list[str]:
    """The times below the run's time line."""
    return watched.page.locator("[data-hetwin-timeline] .tick").all_text_contents()


def test_a_drag_zooms_all_that_is_over_time_and_a_double_click_resets_it(played: Watched) -> None:
    page = played.page
    whole = ticks(played)
    for number, part in ((0, ".track"), (1, "canvas")):
        plot = page.locator(".plot").nth(number)
        area = area_of(played, plot, part)
        y = area["y"] + area["height"] / 2
        page.mouse.move(area["x"] + 0.5 * area["width"], y)
        page.mouse.down()
        page.mouse.move(area["x"] + 0.7 * area["width"], y, steps=3)
        page.mouse.up()
        zoomed = ticks(played)
        assert zoomed != whole
        assert {"1.6 s", "1.8 s"} <= set(zoomed)
        others = page.locator(".plot .hetwin-timeline .ticks .track").all_inner_texts()
        assert all("1.6 s" in row for row in others)
        page.mouse.dblclick(area["x"] + 0.6 * area["width"], y)
        assert ticks(played) == whole


def test_a_plot_says_what_is_under_the_pointer_and_leaves_out_what_is_clicked(
    played: Watched,
) -> None:
    page = played.page
    plot = page.locator(".plot").nth(1)
    area = area_of(played, plot, "canvas")
    page.mouse.move(area["x"] + 0.5 * area["width"], area["y"] + 30)
    tip = page.get_by_role("tooltip").inner_text().splitlines()
    assert tip[0].endswith(" s")
    assert [line.split()[0] for line in tip[1:]] == ["x", "y", "z"]
    plot.get_by_role("button", name="y", exact=True).click()
    page.mouse.move(area["x"] + 0.4 * area["width"], area["y"] + 30)
    tip = page.get_by_role("tooltip").inner_text().splitlines()
    assert [line.split()[0] for line in tip[1:]] == ["x", "z"]
    plot.get_by_role("button", name="y", exact=True).click()


def test_what_was_never_handed_over_opens(played: Watched) -> None:
    page = played.page
    assert page.get_by_role("button", name="other · 9").get_attribute("aria-expanded") == "false"
    page.get_by_role("button", name="other · 9").click()
    page.get_by_role("button", name="handling · 2").click()
    assert page.locator(".hetwin-timeline .name", has_text="box.held").count() >= 1


def test_it_asked_for_nothing_and_nothing_failed(played: Watched, report: Path) -> None:
    assert played.requests == [report.as_uri()]
    assert played.errors == []


_NO_WEBGL = """
const [context, canvas] = [HTMLCanvasElement.prototype.getContext, HTMLCanvasElement.prototype];
canvas.getContext = function (kind, ...more) {
  return kind.startsWith("webgl") ? null : context.call(this, kind, ...more);
};
"""


def test_a_browser_without_webgl_shows_all_but_the_scene(report: Path, browser: Any) -> None:
    with open_page(browser, offline=True) as watched:
        watched.page.add_init_script(_NO_WEBGL)
        watched.page.goto(report.as_uri())
        assert watched.tell("async () => await hetwin.ready") is True
        watched.page.get_by_text("This browser cannot draw the scene: it has no WebGL.").wait_for()
        assert watched.page.locator(".hetwin-timeline .bar").count() > 0
        assert watched.tell(_GO, 1.0) == pytest.approx(1.0, abs=0.01)
        assert watched.errors == []
