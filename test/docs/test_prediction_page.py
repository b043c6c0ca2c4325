"""The page about predictions: its plan works as it is written."""

from __future__ import annotations

import re
from typing import Any

from support.pages import ROOT

PAGE = ROOT / "docs" / "prediction.md"
PLAN = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_plan_of_the_page_moves_the_tray() -> None:
    (plan,) = PLAN.findall(PAGE.read_text("utf-8"))
    printed: list[tuple[Any, ...]] = []
    exec(plan, {"print": lambda *said: printed.append(said)})
    assert sorted(inputs["shift"] for inputs, _ in printed) == [0.0, 0.1, 0.2]
    assert all(state["holding(gripper)"] is False for _, state in printed)


def test_the_options_of_the_page_are_those_of_the_command() -> None:
    from typer.main import get_command

    from hetwin_suite.cli.main import app

    command = get_command(app).commands["predict"]  # type: ignore[attr-defined]
    known = {option for parameter in command.params for option in parameter.opts}
    rows = re.findall(r"^\| (`--.*?) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    said = {option for row in rows for option in re.findall(r"`(--[a-z-]+)", row)}
    assert len(said) >= 8
    assert said <= known, said - known
