"""Names and texts with markup, quotes, or of another direction stay text on every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.carried_box import between, carried_box, made_tables, task
from support.hostile import HOSTILE, IMAGE, MARK, assert_harmless, hostile_episode
from support.small_run import SmallRun

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.comparing.comparison import (
    Apart,
    Comparison,
    Difference,
    Divergence,
    Parting,
    What,
)
from hetwin_core.episodes.episode import Episode
from hetwin_suite._mismatch.registry import axis_of
from hetwin_suite._study.batch import Batch, counted
from hetwin_suite._study.page.page import batch_page
from hetwin_suite._study.predicting.forecast import Forecast
from hetwin_suite._study.predicting.page import forecast_page
from hetwin_suite._study.runs.run_result import RunResult
from hetwin_suite.proving_ground.evaluation.approaches import TASKS
from hetwin_suite.proving_ground.evaluation.beside_truth import write_beside_truth
from hetwin_suite.proving_ground.evaluation.judge import Verdict
from hetwin_suite.proving_ground.evaluation.page import evaluation_page
from hetwin_suite.proving_ground.evaluation.table2 import cells
from hetwin_suite.proving_ground.evaluation.wrong import TruePath
from hetwin_suite.proving_ground.robustness.curves import Judgement
from hetwin_suite.proving_ground.robustness.findings import Findings
from hetwin_suite.proving_ground.robustness.kept import KeptVerdict
from hetwin_suite.proving_ground.robustness.page import robustness_page
from hetwin_suite.proving_ground.robustness.sets import EpisodeSet
from hetwin_suite.proving_ground.robustness.wrong_pictures import WrongPicture
from hetwin_suite.view.document import Document, html_of, live_page
from hetwin_suite.view.report.course.card import course_card
from hetwin_suite.view.report.course.drawing import Mark
from hetwin_suite.view.report.page import page
from hetwin_suite.view.show.comparison_page import comparison_page


def test_the_report_of_a_run() -> None:
    assert_harmless(page(hostile_episode(), BadInput(MARK)))


def test_what_was_done_and_what_held() -> None:
    tables = made_tables(tasks=[task(0, IMAGE, 1.0, 4.0, parent=MARK)])
    flaw = Mark(HOSTILE[1], between(1.0, 2.0), MARK)
    for rows in (tables, carried_box()):
        section = course_card(rows, [flaw], MARK)
        assert section is not None
        assert_harmless(Document(MARK, [section], footer=MARK).html())


def test_a_comparison(small_run: SmallRun) -> None:
    row = {
        "time": 1.0,
        "entity": IMAGE,
        "attribute": MARK,
        "from": MARK,
        "to": IMAGE,
        "cause": MARK,
    }
    compared = Comparison(
        divergence=Divergence(state=Parting(1_500_000_000, (MARK,), None, None)),
        given=(
            Difference(What.SEED, IMAGE, IMAGE, None),
            Difference(What.PARAMETER, MARK, 1, IMAGE),
        ),
        chain=(f"1.50 s: {MARK}", MARK),
        objects={MARK: Apart(1_600_000_000, 0.2, 0.1)},
        only_here=(row,),
        only_there=(row,),
        from_ns=0,
        to_ns=3_000_000_000,
    )
    assert_harmless(comparison_page(compared, small_run.out, small_run.out))


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


def test_a_batch(tmp_path: Path) -> None:
    runs = [result(0, good=True), result(1, good=False), RunResult(2, error=MARK)]
    runs[2] = RunResult(2, inputs={MARK: 0.0, IMAGE: 0.0}, error=MARK)
    batch = Batch(runs, counted(runs, {MARK: "true"}), False, 1.0)
    assert_harmless(batch_page(batch, tmp_path, MARK))


def test_a_forecast() -> None:
    futures = [result(0, good=True), result(1, good=False), RunResult(2, error=MARK)]
    forecast = Forecast(0.0, 1.0, 0, len(futures), futures, (MARK,), 1.0)
    assert_harmless(forecast_page(forecast, MARK))


def test_an_evaluation(tmp_path: Path) -> None:
    verdict = Verdict(
        *(f"episodes/{IMAGE}", next(iter(TASKS)), "ensemble", True, False, MARK, 0.01, MARK),
        *(1.0, 1.0),
    )
    assert_harmless(evaluation_page(tmp_path, cells([verdict]), [verdict], {}, MARK))


def test_where_approaches_break() -> None:
    axis = axis_of("rate")
    names: Any = {"name": MARK, "axis": "rate", "approach": "single", "cause": MARK, "why": MARK}
    judged = [
        Judgement(
            *(MARK, IMAGE, MARK, axis, level),
            KeptVerdict(
                *("", MARK),
                **names,
                decided_by="",
                level=level,
                truth=truth,
                success=True,
                not_applicable=False,
                seconds=1.0,
            ),
        )
        for level in (axis.none, 15.0)
        for truth in (True, False)
    ]
    found = Findings([EpisodeSet(MARK, IMAGE, MARK, ())], {"rate": axis}, judged)
    picture = WrongPicture((("aGV0", MARK),), (MARK,))
    assert_harmless(robustness_page(found, [(judged[-1], picture)]))


def test_the_twin_beside_the_truth(small_run: SmallRun, monkeypatch: pytest.MonkeyPatch) -> None:
    episode = Episode.open(small_run.out)
    truth = TruePath("box", np.array([[0.0, 0.0, 0.0, 0.4], [3.0, 0.5, 0.0, 0.4]]))
    monkeypatch.setattr(episode, "scenario", MARK)
    path = write_beside_truth(episode, truth, MARK)
    assert_harmless(path.read_text("utf-8"))
    path.unlink()


def test_the_page_of_a_run_that_goes_on_holds_nothing_of_it() -> None:
    assert_harmless(live_page(), ())


def test_content_of_a_page_of_ones_own() -> None:
    assert (
        html_of((IMAGE, "&"))
        == "&lt;img src=x onerror=&#34;window.hacked=&#39;yes&#39;&#34;&gt;&amp;"
    )
