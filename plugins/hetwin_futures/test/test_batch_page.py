"""The page of a batch."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.small_run import SmallRun

from hetwin_futures.batch import Batch, counted
from hetwin_futures.batch_page import batch_page, kinds_of
from hetwin_suite._study.run_result import RunResult

QUESTIONS = {"delivered": "true", "upright": "true"}


def result(index: int, folder: str | None = None, *, good: bool = True, **more: str) -> RunResult:
    """A run that went well, or toppled something."""
    outcomes = {"delivered": good, "upright": good}
    flaws = () if good else ("knocked_over",)
    inputs = {"box.pose.x": 0.01 * index, "box.pose.y": 0.3}
    return RunResult(
        index,
        folder=folder,
        digest="d",
        outcomes=outcomes,
        flaws=flaws,
        inputs=inputs,
        error=more.get("error"),
    )


@pytest.fixture
def batch(small_run: SmallRun) -> Batch:
    """Six runs of three kinds, one of them kept."""
    runs = [result(n, good=n != 3) for n in range(5)]
    runs[0] = result(0, str(small_run.out))
    runs.append(RunResult(5, inputs={"box.pose.x": 0.0, "box.pose.y": 0.0}, error="<no hand>"))
    return Batch(runs, counted(runs, QUESTIONS), True, 12.0)


def test_runs_that_went_alike_are_one_kind(batch: Batch) -> None:
    kinds = kinds_of(batch.runs)
    assert [(kind.words, len(kind.runs), kind.is_good) for kind in kinds] == [
        ("delivered, upright", 4, True),
        ("not delivered, not upright; knocked over", 1, False),
        ("failed", 1, False),
    ]


def test_the_page_says_what_came_of_the_runs(batch: Batch, tmp_path: Path) -> None:
    page = batch_page(batch, tmp_path, "tidy <up>")
    body = page.partition("<body>")[2].partition("<script")[0]
    assert "tidy &lt;up&gt;, 6 runs" in body
    assert "enough is known" in body
    assert "4 of 6" in body
    assert "knocked over" in body
    assert "&lt;no hand&gt;" in body
    assert "<no hand>" not in body
    assert body.count('<section class="card bad">') == 2
    assert "src=" not in body.replace('src="data:', "")


def test_a_batch_without_outcomes_has_a_page(tmp_path: Path) -> None:
    runs = [RunResult(0, digest="d")]
    page = batch_page(Batch(runs, {}, False, 1.0), tmp_path, "plain")
    assert "went to its end" in page
