"""Names and texts with markup, quotes, or of another direction stay text on every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from support.carried_box import between, carried_box, made_tables, task
from support.hostile import HOSTILE, IMAGE, MARK, assert_harmless, hostile_episode
from support.plugins import needs

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._study.run_result import RunResult
from hetwin_suite.view.document import Document, html_of, live_page
from hetwin_suite.view.report.course import Mark, course_card
from hetwin_suite.view.report.page import page


def test_the_report_of_a_run() -> None:
    assert_harmless(page(hostile_episode(), BadInput(MARK)))


def test_what_was_done_and_what_held() -> None:
    tables = made_tables(tasks=[task(0, IMAGE, 1.0, 4.0, parent=MARK)])
    flaw = Mark(HOSTILE[1], between(1.0, 2.0), MARK)
    for rows in (tables, carried_box()):
        section = course_card(rows, [flaw], MARK)
        assert section is not None
        assert_harmless(Document(MARK, [section], footer=MARK).html())


def result(index: int, *, good: bool, **more: Any) -> RunResult:
    paths = {MARK: np.array([[0.0, 0.0, 0.0, 0.0], [1.0, float(index), 0.0, 1.0]])}
    return RunResult(
        index,
        folder=None,
        outcomes={MARK: good},
        flaws=() if good else (IMAGE,),
        inputs={MARK: float(index), IMAGE: float(index)},
        paths=paths,
        **more,
    )


@needs("hetwin_futures")
def test_a_batch(tmp_path: Path) -> None:
    from hetwin_futures.batch import Batch, counted
    from hetwin_futures.batch_page import batch_page

    runs = [result(0, good=True), result(1, good=False), RunResult(2, error=MARK)]
    runs[2] = RunResult(2, inputs={MARK: 0.0, IMAGE: 0.0}, error=MARK)
    batch = Batch(runs, counted(runs, {MARK: "true"}), False, 1.0)
    assert_harmless(batch_page(batch, tmp_path, MARK))


@needs("hetwin_futures")
def test_a_forecast() -> None:
    from hetwin_futures.forecast import Forecast
    from hetwin_futures.forecast_page import forecast_page

    futures = [result(0, good=True), result(1, good=False), RunResult(2, error=MARK)]
    forecast = Forecast(0.0, 1.0, 0, len(futures), futures, (MARK,), 1.0)
    assert_harmless(forecast_page(forecast, MARK))


def test_the_page_of_a_run_that_goes_on_holds_nothing_of_it() -> None:
    assert_harmless(live_page(), ())


def test_content_of_a_page_of_ones_own() -> None:
    assert (
        html_of((IMAGE, "&"))
        == "&lt;img src=x onerror=&#34;window.hacked=&#39;yes&#39;&#34;&gt;&amp;"
    )
