"""`hetwin ask --flaws` prints what went wrong in a run, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.flawed_tables import dropped, fetched
from typer.testing import CliRunner

from hetwin_core.episodes.tables import open as opening
from hetwin_suite.cli.main import app


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs whose tables are made up: a good one and a bad one."""
    made = {"good": fetched(), "bad": dropped(touched="tray")}
    monkeypatch.setattr(opening, "open_tables", lambda run: made[Path(run).name].made())


@pytest.mark.usefixtures("runs")
def test_each_flaw_is_a_line() -> None:
    result = CliRunner().invoke(app, ["ask", "--flaws", "bad"])
    assert result.exit_code == 0
    known, first, second, *_ = result.output.splitlines()
    assert known == "no verdict: what was checked is not known"
    assert first.startswith("    6.000 s  unstable_support: box did not stay on tray")
    assert "place.1 was done" in second
    assert "after unstable support at 6.00 s" in second


@pytest.mark.usefixtures("runs")
def test_json_has_all_of_a_flaw() -> None:
    result = CliRunner().invoke(app, ["ask", "--flaws", "bad", "--json"])
    told = json.loads(result.output)
    assert set(told) == {"seconds", "verdict", "coverage", "concerns", "flaws"}
    flaw, other = told["flaws"]
    assert (flaw["kind"], flaw["from"], flaw["to"]) == ("unstable_support", 6.0, 7.0)
    assert flaw["task"] == "place.1"
    assert {"box", "tray"} <= {*flaw["entities"]}
    assert {row["table"] for row in flaw["evidence"]} == {"events", "occasions"}
    assert [cause["kind"] for cause in flaw["caused_by"]] == ["event", "task"]
    assert other["caused_by"][0]["kind"] == "unstable_support"
    assert other["caused_by"][0]["flaw"] == 0


@pytest.mark.usefixtures("runs")
def test_a_good_run_has_none() -> None:
    result = CliRunner().invoke(app, ["ask", "--flaws", "good"])
    assert result.exit_code == 0
    assert result.output.splitlines()[1:] == ["no flaws"]


@pytest.mark.usefixtures("runs")
def test_it_begins_with_what_was_checked_and_what_speaks_against_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    grip = {"claim": "grip", "subject": "hand", "checked": False, "why": "x", "of": []}
    grip |= {"holds": None, "from": [], "spans": []}
    concern = {"from": 1.5, "severity": "absurd", "text": "arm is 5 cm inside table"}
    concern |= {"name": "link_touches", "to": 2.0, "arguments": {}, "count": 1}
    summary = {"verdict": "absurd", "coverage": [grip], "concerns": [concern]}
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
    assert CliRunner().invoke(app, ["ask", "--flaws", "good"]).output.splitlines() == [
        "absurd: not checked: grips (x)",
        "    1.500 s  absurd: arm is 5 cm inside table",
        "no flaws",
    ]
    told = json.loads(CliRunner().invoke(app, ["ask", "--flaws", "good", "--json"]).output)
    assert (told["verdict"], told["coverage"], told["concerns"]) == (
        "absurd",
        [grip],
        [concern],
    )
