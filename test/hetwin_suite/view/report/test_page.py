"""The page of a run: what stands in it, and that it needs nothing else."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from support.made_episode import concern, made_episode

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.view.report import write_report
from hetwin_suite.view.report.page import concern_bars

_LOADING = {"src", "href", "data", "poster", "action", "srcset", "background", "xlink:href"}


class Page(HTMLParser):
    """Reads a page: its tags, its texts by tag, and its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loads: list[tuple[str, str, str]] = []
        self.tags: list[str] = []
        self.images: list[str] = []
        self.times: list[tuple[str, float]] = []
        self.texts: dict[str, list[str]] = {}
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._open: list[str] = []
        self._attributes: dict[str, str | None] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self._open.append(tag)
        self._attributes = dict(attrs)
        for name, value in attrs:
            if name in _LOADING and value is not None:
                self.loads.append((tag, name, value))
        if self._attributes.get("data-time"):
            self.times.append((tag, float(self._attributes["data-time"] or "nan")))
        if tag == "img":
            self.images.append(self._attributes["src"] or "")

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] == "script":
            self.scripts.append((self._attributes, data))
            return
        for tag in self._open:
            self.texts.setdefault(tag, []).append(data)

    def text(self, tag: str = "main") -> str:
        text = " ".join(" ".join(self.texts.get(tag, [])).split())
        return re.sub(r" ([,.;:])", r"\1", text)

    def figures(self) -> dict[str, Any]:
        (data,) = [text for attributes, text in self.scripts if attributes.get("id") == "figures"]
        figures: dict[str, Any] = json.loads(data)
        return figures

    def numbers(self, index: int) -> Any:
        return np.frombuffer(base64.b64decode(self.figures()["arrays"][index]), "<f4")


@pytest.fixture(scope="module")
def path(small_run: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(small_run.out, tmp_path_factory.mktemp("page") / "deep" / "page.html")


@pytest.fixture(scope="module")
def page(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_it_loads_nothing(path: Path, page: Page) -> None:
    assert all(value.startswith("data:") or value == "#timeline" for _, _, value in page.loads)
    assert not {"link", "iframe", "object", "embed", "base"} & set(page.tags)
    assert all("src" not in attributes for attributes, _ in page.scripts)
    (style,) = page.texts["style"]
    assert "@import" not in style
    assert "url(" not in style


def test_it_stays_small_enough_to_send(path: Path) -> None:
    assert path.stat().st_size < 1_500_000


def test_it_tells_the_story(page: Page) -> None:
    text = page.text()
    assert "The run reached the end of its recording after 3.00 s." in text
    assert (
        "box was grasped by gripper at 1.00 s, picked up by gripper from table at 1.20 s, "
        "released by gripper at 2.00 s and put down on table at 2.20 s." in text
    )
    assert "12.00" in text
    assert "ab" * 32 in text


def test_names_are_text_not_markup(path: Path, page: Page) -> None:
    assert page.text("h1") == "small <run> & co"
    assert page.text("ul").count("physics: mesh <a.stl> is absent") == 1
    assert "About this run: 3 models, 2 warnings" in page.text("summary")
    assert "run" not in page.tags
    assert "a.stl" not in page.tags
    html = path.read_text(encoding="utf-8")
    (figures,) = re.findall(r'<script[^>]* id="figures">(.*?)</script>', html, re.DOTALL)
    assert "<" not in figures


def test_the_tables_hold_models_events_and_handovers(page: Page) -> None:
    table = page.text("table")
    for model in ("physics", "in_hand", "handling"):
        assert f"type_{model}" in table
    assert "0.998 s box grasped by gripper" in table
    assert "1.000 s box pose: physics → in_hand handover trigger grasp" in table
    assert "2.000 s box pose: in_hand → physics handover" in table
    assert "box is not held" in page.text("ul")
    assert "move hand begins" in table


def test_the_whole_run_plays_in_it(small_run: Any, page: Page) -> None:
    (film,) = [text for a, text in page.scripts if a.get("type") == "application/x-hetwin-film"]
    data = zlib.decompress(base64.b64decode(film))
    header = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])
    assert (header["start"], header["end"]) == (0.0, 3.0)
    assert [change[0] for change in header["changes"]] == [1.0, 2.0]
    assert {"grasped", "put_down"} <= {one["name"] for one in header["happenings"]}
    assert [one["name"] for one in header["doings"]] == ["move_hand"]


def test_concerns_are_bars_of_the_time_line() -> None:
    row = concern("flung", "absurd", 0.01, 0.01, text="box is flung", count=2)
    (bar,) = concern_bars(made_episode([], {}, concerns=[row]))
    assert (bar.name, bar.text, bar.lane, bar.tone) == (
        *("box is flung", "absurd, 2 times", "concerns", "absurd"),
    )
    assert bar.end > bar.begin


def test_without_the_script_the_page_says_how_to_make_it(
    make_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = make_run(steps=3)
    run.record()
    monkeypatch.setattr("hetwin_suite.view.document._SCRIPT", tmp_path / "page.js")
    text = Page(write_report(run.out).read_text(encoding="utf-8")).text()
    assert "The run does not play here: " in text
    assert "The plots are not drawn here: " in text
    assert "cmake/bundle_page.py" in text
    assert "Time line" not in text
    assert "All events and handovers" in text


def test_the_plots_show_poses_clearance_joints_and_predicates(page: Page) -> None:
    headings = page.text("h2")
    for title in ("Where box was", "What held", "Fingers of gripper", "Joints of arm"):
        assert title in headings
    assert "Did not move: ball." in page.text("p")
    box, held = page.figures()["figures"][1:3]
    lines = {line["name"]: line for panel in box["panels"] for line in panel["lines"]}
    assert page.numbers(lines["z"]["y"])[0] == pytest.approx(0.43)
    clear = page.numbers(lines["above what is under it"]["y"])
    assert clear[0] == pytest.approx(0.0, abs=1e-3)
    assert clear.max() == pytest.approx(300.0, abs=0.1)
    assert held["rows"] == ["box is held", "box is held by"]
    assert [(bar["row"], bar["text"]) for bar in held["bars"]] == [(0, ""), (1, "gripper")]
    assert [(bar["begin"], bar["end"]) for bar in held["bars"]] == [(1.0, 2.0), (1.0, 2.0)]


def test_plots_share_the_times_of_the_run(page: Page) -> None:
    charts = [figure for figure in page.figures()["figures"] if figure["kind"] == "chart"]
    lines = [line for chart in charts for panel in chart["panels"] for line in panel["lines"]]
    assert len({line["x"] for line in lines}) == 1
    assert len({line["y"] for line in lines}) > 3


def test_each_moment_is_a_place_to_go_to(page: Page) -> None:
    places = " ".join(page.texts["button"])
    for words in ("start", "box grasped by gripper", "picked up", "released", "put down", "end"):
        assert words in places
    times = [value for name, value in page.times if name == "button"]
    assert times == sorted(times)
    assert page.images == []


def test_one_script_draws_all_of_it(page: Page) -> None:
    scripts = [text for attributes, text in page.scripts if "type" not in attributes]
    assert len(scripts) == 1
    assert len(scripts[0]) > 100_000


def test_a_failure_is_plain_to_see(make_run: Callable[..., Any]) -> None:
    run = make_run(steps=500)
    run.record(
        {"model": "in_hand", "call": "step", "time": 1.25, "reason": "answered <NaN> in box.pose"}
    )
    path = write_report(run.out)
    assert path == run.out / "report.html"
    page = Page(path.read_text(encoding="utf-8"))
    assert (
        "The run failed: in_hand: step failed at 1.250000 s: answered <NaN> in box.pose"
        in page.text()
    )
    assert 'class="card first bad"' in path.read_text(encoding="utf-8")
    assert "step failed at 1.250000 s: answered <NaN> in box.pose" in page.text("ul")


def test_a_run_that_broke_off_is_told_as_such(make_run: Callable[..., Any]) -> None:
    run = make_run(steps=30)
    run.record()
    (run.out / "summary.json").unlink()
    page = Page(write_report(run.out).read_text(encoding="utf-8"))
    assert "The run broke off: there is no summary. The log ends at 0.07 s." in page.text()
    assert "arm moved for " in page.text()


def test_a_report_is_written_again(make_run: Callable[..., Any]) -> None:
    run = make_run(steps=3)
    run.record()
    first = write_report(run.out).read_text(encoding="utf-8")
    assert write_report(run.out).read_text(encoding="utf-8") == first
    assert sorted(p.name for p in run.out.iterdir()) == ["log", "report.html", "summary.json"]


def test_a_log_without_tables_costs_the_section_alone(
    make_run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = make_run(steps=3)
    run.record()
    failing = mock.Mock(side_effect=BadInput("no <tables> here"))
    monkeypatch.setattr("hetwin_suite.view.report.page.Follower", failing)
    text = Page(write_report(run.out).read_text(encoding="utf-8")).text()
    assert "There is nothing to show: no <tables> here" in text
    assert "All events and handovers" in text


def test_no_run_no_report(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no run"):
        write_report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_is_bad_input(small_run: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        write_report(small_run.out, tmp_path / "file" / "page.html")
