"""The benchmark of coupling runs the same ensemble everywhere, and says what it could not run."""

from __future__ import annotations

import json
from typing import Any

import coupling
import pytest


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code = coupling.main([*arguments, "--rounds", "1", "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_rows_of_hetwin(capsys: pytest.CaptureFixture[str]) -> None:
    code, told = rows(capsys, "--models", "2", "--system", "hetwin local")
    assert code == 0
    assert [(row["system"], row["n"]) for row in told["rows"]] == [("hetwin local", 2)]
    assert told["rows"][0]["us_per_model_step"] > 0
    assert told["skipped"] == []


def test_a_peer_that_is_absent_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = coupling.System(coupling.peer("no_such_peer"), 1000)
    monkeypatch.setattr(coupling, "SYSTEMS", {"bare": absent})
    code, told = rows(capsys, "--models", "2")
    assert (code, told["rows"]) == (1, [])
    assert "no_such_peer" in told["skipped"][0]["reason"]
