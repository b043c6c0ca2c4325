"""The tables of the documentation hold the numbers of the curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.plugins import benchmark

robustness_figures = benchmark("robustness_figures", "hetwin_bauer2022")

PAGE = "before\n<!-- figures -->\nold\n<!-- end of figures -->\nafter\n"


def point(approach: str, level: float, truth: str, right: int, **other: Any) -> dict[str, Any]:
    made = {"set": "pinch", "axis": "finger_offset", "approach": approach, "level": level}
    return {**made, "truth": truth, "right": right, "of": 10, **other}


def curves(folder: Path, points: list[dict[str, Any]]) -> Path:
    breaks = [p for p in points if p["right"] < 0.8 * p["of"]]
    found = {"worth": "The ensemble is flat.", "curves": points, "breaks": breaks}
    (folder / "curves.json").write_text(json.dumps(found), encoding="utf-8")
    return folder / "curves.json"


def test_each_number_is_in_its_row_and_column(tmp_path: Path) -> None:
    points = [
        point("ensemble", 0.0, "success", 10),
        point("ensemble", 0.0349, "success", 9),
        point("ensemble", 0.0349, "failure", 7),
        point("ensemble", 0.0349, "failure", 8, set="fading"),
        point("single", 0.0, "success", 10),
        point("single", 0.0349, "success", 2),
    ]
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")
    assert robustness_figures.main([str(curves(tmp_path, points)), "--into", str(page)]) == 0
    written = page.read_text(encoding="utf-8")
    assert written.startswith("before\n<!-- figures -->\nThe ensemble is flat.")
    assert written.endswith("<!-- end of figures -->\nafter\n")
    assert "old" not in written
    assert "| `finger_offset` | 0° | 10 of 10 / - | - |" in written
    assert "| `finger_offset` | 2°\\* | 9 of 10 / 7 of 10 | - / 8 of 10 |" in written
    assert "| `finger_offset` | 2°\\* | 9 of 10 / 15 of 20 | 2 of 10 / - |" in written
    assert "| `finger_offset` | 2°\\* (pinch, failure) | 2°\\* (pinch, success) |" in written


def test_figures_can_be_written_again(tmp_path: Path) -> None:
    once = robustness_figures.put(PAGE, "new")
    assert robustness_figures.put(once, "new") == once


@pytest.mark.parametrize("page", ["", "<!-- figures -->", PAGE + PAGE])
def test_a_page_without_its_place_stays(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page.md"
    file.write_text(page, encoding="utf-8")
    given = curves(tmp_path, [point("ensemble", 0.0, "success", 10)])
    assert robustness_figures.main([str(given), "--into", str(file)]) == 2
    assert "must have one line <!-- figures -->" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == page


def test_an_unknown_axis_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = curves(tmp_path, [point("ensemble", 0.0, "success", 10, axis="finger_ofset")])
    assert robustness_figures.main([str(given)]) == 2
    assert "no such axis: finger_ofset" in capsys.readouterr().err
