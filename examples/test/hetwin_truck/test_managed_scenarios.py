"""The benchmark of fidelity management in whole scenarios: what is kept, and what its rows say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("hetwin_learning", reason="hetwin_learning is not installed")

import managed_scenarios as managed

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_learning.fidelity.candidate import FULL, Candidate
from hetwin_suite._study.run_result import RunResult

FOUND = Candidate(0.1, 2, 5.0)


def measured(processor_s: float, moved: int) -> RunResult:
    return managed.measured(processor_s, 10.0, moved)


def test_rows_compare_every_case_with_full_fidelity_without_sleep() -> None:
    hifi, _, _, _, chosen, asleep, *_ = cases = managed.cases([FOUND], (False, True))
    assert [case.mode for case in cases][:5] == ["HiFi", "AdFi-1", "AdFi-2", "AdFi-3", "chosen"]
    loads = [
        {
            hifi: measured(20.0, 10),
            chosen: measured(5.0, 11),
            asleep: measured(10.0, 10),
            cases[-1]: measured(4.0, 9),
        }
    ] * 3
    rows = {(row.mode, row.sleep): row for row in managed.rows_of("floor", loads)}
    assert rows["HiFi", False].speedup == 1.0
    found, both = rows["chosen", False], rows["chosen", True]
    assert (found.inflation, found.rest_steps, found.interval) == FOUND
    assert (found.speedup, found.speedup_alike, found.real_time_factor) == (4.0, 4.0, 2.0)
    assert (both.speedup, both.speedup_alike) == (5.0, 2.5)
    assert (found.error, both.error) == pytest.approx((0.1, -0.1))
    assert found.of == 3


def test_a_load_that_was_not_run_in_every_case_is_left_out() -> None:
    hifi, adfi, *_ = managed.cases([], (False,))
    whole = {hifi: measured(2.0, 4), adfi: measured(1.0, 4)}
    rows = managed.rows_of("floor", [whole, {hifi: measured(9.0, 9)}])
    assert [(row.of, row.speedup) for row in rows] == [(1, 1.0), (1, 2.0)]


def test_a_floor_is_run_in_every_mode_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(managed, "QUICK_BOXES", 12)
    monkeypatch.setattr(managed, "MODES", {"HiFi": None, "AdFi-3": 0.01})
    monkeypatch.setattr(managed, "OPTIONS", RunOptions(duration=0.5))
    asked = ["--quick", "--loads", "1", "--keep", str(tmp_path), "--json"]
    assert managed.main([*asked, "--sleep"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["mode"], row["sleep"]) for row in rows] == [
        *(("HiFi", False), ("AdFi-3", False)),
        *(("HiFi", True), ("AdFi-3", True)),
    ]
    assert all(row["of"] == 1 and not row["failed"] for row in rows)
    monkeypatch.setattr(managed, "Study", None)
    assert managed.main([*asked, "--sleep"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == rows


def test_full_fidelity_comes_first() -> None:
    assert managed.cases([FOUND], (True,))[0] == managed.Case("HiFi", True, FULL)
