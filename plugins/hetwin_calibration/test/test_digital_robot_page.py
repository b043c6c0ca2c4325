"""The page about the digital robot: its commands work, and its figures of the paper's tables are right."""

from __future__ import annotations

import re
import shlex

import paper_tables
import pytest
from support.hetwin_command import hetwin
from support.pages import ROOT, commands
from support.plugins import needs_of
from support.robot_files import example

from hetwin_calibration.robot.dimensions import Measure

PAGE = ROOT / "docs" / "digital_robot.md"
TEXT = PAGE.read_text("utf-8")
FIGURES = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
READ_ONLY = [line for line in commands(PAGE) if "--out" not in line]


@pytest.mark.parametrize("line", [pytest.param(line, marks=needs_of([line])) for line in READ_ONLY])
def test_a_command_of_the_page_works(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    said = hetwin(*shlex.split(line)[1:])
    assert said.code == 0, said.err
    assert said.out


def test_there_is_a_command_for_each_capability() -> None:
    shown = {tuple(line.split()[1:3]) for line in commands(PAGE)}
    computed = {("urdf", name) for name in ("describe", "forward", "inverse", "trajectory")}
    assert shown == {*computed, *(("calibrate", name) for name in ("arm", "drive", "travel"))}


def test_it_names_all_measures() -> None:
    assert all(f"`{measure}`" in TEXT for measure in Measure)


def test_its_table_iii_is_what_is_measured() -> None:
    pytest.importorskip("trimesh")
    example("tiago_description/robots/tiago.urdf")
    rows = paper_tables.table_iii()
    (ours,) = re.findall(r"^\| the URDF with the hand \| (.*) \| (.*) \| (.*) \|$", FIGURES, re.M)
    assert [float(number) for number in ours] == [
        pytest.approx(row["ours"], abs=0.006) for row in rows
    ]
    assert [row["our_error"] <= most for row, most in zip(rows, (2, 1, 1), strict=True)] == [
        True
    ] * 3
    assert rows[0]["error"] == pytest.approx(0.0998)


def test_errors_of_table_iv_are_computed_anew() -> None:
    rows = paper_tables.table_iv(ROOT / "worlds" / "none.sdf")
    assert all(f"{row['error']:.3f}" in FIGURES for row in rows)
    wrong = [row["name"] for row in rows if abs(row["error"] - row["printed_error"]) > 0.01]
    assert wrong == ["table1"]
