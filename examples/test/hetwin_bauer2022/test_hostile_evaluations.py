"""Names and texts with markup or quotes stay text on the pages of evaluations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hostile import IMAGE, MARK, assert_harmless
from support.small_run import SmallRun

from hetwin_bauer2022.evaluation.approaches import TASKS
from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_bauer2022.evaluation.page import evaluation_page
from hetwin_bauer2022.evaluation.table2 import cells
from hetwin_bauer2022.evaluation.truth_page import write_truth_page
from hetwin_bauer2022.evaluation.wrong_verdicts import TruePath
from hetwin_bauer2022.mismatch.registry import axis_of
from hetwin_bauer2022.robustness.curves import Judgement
from hetwin_bauer2022.robustness.findings import Findings
from hetwin_bauer2022.robustness.page import robustness_page
from hetwin_bauer2022.robustness.sets import EpisodeSet
from hetwin_bauer2022.robustness.stored_verdicts import StoredVerdict
from hetwin_bauer2022.robustness.wrong_pictures import WrongPicture
from hetwin_core.episodes.episode import Episode


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
            StoredVerdict(
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
    path = write_truth_page(episode, truth, MARK)
    assert_harmless(path.read_text("utf-8"))
    path.unlink()
