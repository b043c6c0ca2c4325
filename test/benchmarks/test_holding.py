"""The benchmark of the grasp that holds, small."""

from __future__ import annotations

import json

import holding
import pytest


def test_the_figures_are_what_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert holding.main(["--picks", "2", "--empty", "2", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["lines"]
    assert {line["name"]: line["value"] for line in lines}["held, of 2"] == 2
