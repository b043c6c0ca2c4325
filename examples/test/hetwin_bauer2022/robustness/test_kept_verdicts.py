"""Verdicts are kept as lines, and found again by what they are about and what decided them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hetwin_bauer2022.robustness.stored_verdicts import StoredVerdict, VerdictFile
from hetwin_core.ensemble.errors import BadInput

VERDICT = StoredVerdict(
    "e1", "cage", "drop_0001", "rate", 15.0, "single", "f1", True, None, False, "", "why", 1.5
)


def test_a_verdict_is_found_again_in_another_process(tmp_path: Path) -> None:
    VerdictFile(tmp_path / "v.jsonl").add(VERDICT)
    again = VerdictFile(tmp_path / "v.jsonl")
    assert again.find(VERDICT.question, "f1") == VERDICT
    assert again.questions == [VERDICT.question]


def test_another_fingerprint_is_another_verdict_unless_any_will_do(tmp_path: Path) -> None:
    kept = VerdictFile(tmp_path / "v.jsonl")
    kept.add(VERDICT)
    assert kept.find(VERDICT.question, "f2") is None
    newer = replace(VERDICT, decided_by="f2", success=True)
    kept.add(newer)
    assert kept.find(VERDICT.question, "f1") == VERDICT
    assert kept.find(VERDICT.question, None) == newer


def test_each_part_of_the_question_counts(tmp_path: Path) -> None:
    kept = VerdictFile(tmp_path / "v.jsonl")
    kept.add(VERDICT)
    for other in ({"episode": "e2"}, {"axis": "gaps"}, {"level": 30.0}, {"approach": "rigid"}):
        assert kept.find(VERDICT.question._replace(**other), "f1") is None  # type: ignore[arg-type]


def test_a_line_that_was_torn_by_a_kill_is_dropped(tmp_path: Path) -> None:
    file = tmp_path / "v.jsonl"
    VerdictFile(file).add(VERDICT)
    whole = file.read_text()
    file.write_text(whole + whole[:40])
    kept = VerdictFile(file)
    assert kept.questions == [VERDICT.question]
    kept.add(replace(VERDICT, level=30.0))
    assert len(VerdictFile(file).questions) == 2


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"episode": "e1"}', "[1]"])
def test_a_line_that_is_no_verdict_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    file = tmp_path / "v.jsonl"
    VerdictFile(file).add(VERDICT)
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(BadInput, match=r"v\.jsonl.*line 2.*another --out"):
        VerdictFile(file)
