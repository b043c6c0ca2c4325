"""Packages add figures to the outcome of a run, each by the event that it is about; one that fails costs no run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.packages import install

from hetwin_suite.cli import outcome
from hetwin_suite.running.request import FinishedRun

MODULE = """
from hetwin_suite.command import RunFigures

def cups(rows):
    sold = sum(row["name"] == "sold" for row in rows)
    return RunFigures("cafe", {"sold": sold}, [f"{sold} cups sold"], frozenset({"sold"}))

def spilled(rows):
    raise ValueError("wet")
"""
POINTS = """
[hetwin.figures]
opened = figures_of_a_cafe:cups
spilled = figures_of_a_cafe:spilled
gone = no_such_module:thing
"""


@pytest.fixture(autouse=True)
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch, "cafe", POINTS, figures_of_a_cafe=MODULE)


def ended(folder: Path, *names: str) -> FinishedRun:
    events = [
        {"time": 1.0, "name": name, "kind": "model", "source": "m", "arguments": {}}
        for name in names
    ]
    numbers = dict.fromkeys(("simulated_time", "wall_time", "real_time_factor"), 1.0)
    said: dict[str, Any] = {"scenario": "s", "ended": "recording", "error": None, "state": {}}
    return FinishedRun({**said, **numbers, "failures": [], "events": events}, 0, folder)


def test_they_are_counted_and_said_and_what_they_sum_up_is_not_printed(tmp_path: Path) -> None:
    of = ended(tmp_path, "opened", "sold", "sold", "closed")
    assert outcome.document(of)["cafe"] == {"sold": 2}
    said = list(outcome.lines(of))
    assert "  2 cups sold" in said
    assert [line for line in said if "sold" in line] == ["  2 cups sold"]
    assert any(line.endswith("s  closed") for line in said), said


def test_without_the_event_nobody_is_asked(tmp_path: Path) -> None:
    of = ended(tmp_path, "sold")
    assert "cafe" not in outcome.document(of)
    assert any(line.endswith("s  sold") for line in outcome.lines(of))


@pytest.mark.parametrize(
    ("event", "why"), [("spilled", "ValueError: wet"), ("gone", "ModuleNotFoundError")]
)
def test_one_that_fails_is_named_and_left_out(tmp_path: Path, event: str, why: str) -> None:
    of = ended(tmp_path, "opened", event)
    words = rf"hetwin\.figures\.{event}: .*{event} of the package cafe cannot be used: {why}"
    with pytest.warns(UserWarning, match=words):
        assert outcome.document(of)["cafe"] == {"sold": 0}
