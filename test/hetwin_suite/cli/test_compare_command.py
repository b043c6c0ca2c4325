"""`hetwin compare`, as the shell calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused
from support.pushed_run import parting_runs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return parting_runs(tmp_path_factory.mktemp("compared"))


def test_a_difference_is_no_failure(runs: tuple[Path, Path]) -> None:
    said = hetwin("compare", *runs, "--json")
    assert said.code == 0
    found = json.loads(said.out)
    assert set(found) >= {"divergence", "given", "chain", "objects", "handovers"}
    assert set(found["divergence"]) == {"state", "occasion", "event", "task", "belief"}
    assert found["divergence"]["state"]["entities"] == ["ball"]
    assert found["divergence"]["state"]["time"] == pytest.approx(0.75, abs=0.02)


def test_in_words(runs: tuple[Path, Path]) -> None:
    said = hetwin("compare", *runs)
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0] == "0.75 s: ball moves differently"
    assert "object  is off from  at most  at the end" in lines
    assert "ball    0.75 s       0.020 m  0.020 m" in lines


def test_a_run_and_itself(runs: tuple[Path, Path]) -> None:
    assert hetwin("compare", runs[0], runs[0]).out == "no difference\n"


def test_what_is_no_run(runs: tuple[Path, Path], tmp_path: Path) -> None:
    said = hetwin("compare", runs[0], tmp_path)
    assert said.code == 2
    assert f"error: {tmp_path}: there is no run in this folder" in said.err


def test_the_page_beside_the_words(runs: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    said = hetwin("compare", *runs, "--out", page, "--json")
    assert said.code == 0
    assert json.loads(said.out)["page"] == str(page)
    assert page.stat().st_size < 10e6


def test_the_page_is_no_folder(runs: tuple[Path, Path], tmp_path: Path) -> None:
    refused(tmp_path, "compare", *runs, "--out", tmp_path, says=("--out", "folder"))
