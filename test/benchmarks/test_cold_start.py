"""The benchmark of cold starts measures a run that comes to its first step, and says so of one that does not."""

from __future__ import annotations

import json

import cold_start
import pytest


def test_a_start_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert cold_start.main(["--runs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (cold,), (warm,) = found["cold"], found["warm"]
    assert 0.0 < warm < cold


def test_a_run_that_does_not_begin_is_an_error() -> None:
    with pytest.raises(RuntimeError, match="there is no such scenario"):
        cold_start.measured("cold", "no_such_scenario")
