"""The benchmark of state machines runs the same chart everywhere, and says what it could not run."""

from __future__ import annotations

import json
from typing import Any

import machines
import pytest
from support.plugins import needs

OURS = ("hetwin", "by hand")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert machines.main([*arguments, "--rounds", "1", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@needs("hetwin_machines")
def test_rows(capsys: pytest.CaptureFixture[str]) -> None:
    options = [word for engine in OURS for word in ("--engine", engine)]
    rows = told(capsys, *options)["rows"]
    assert [row["engine"] for row in rows] == list(OURS)
    assert all(row["us_per_machine_cycle"] > 0 for row in rows)


def test_an_engine_that_is_absent_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(machines.ENGINES, "transitions", ("machine_peers.no_such_peer", 1))
    (skipped,) = told(capsys, "--engine", "transitions")["skipped"]
    assert skipped["engine"] == "transitions"
    assert "no_such_peer is not installed" in skipped["reason"]


@pytest.mark.parametrize("engine", machines.ENGINES)
def test_all_go_the_same_way(engine: str) -> None:
    module = machines.ENGINES[engine][0]
    try:
        made = machines.make(module)
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed (extra benchmarks)")
    machines.check(engine, made)


@needs("hetwin_machines")
def test_another_way_is_seen() -> None:
    late = machines.make("machine_peers.by_hand")
    late.tick(go=True)
    with pytest.raises(AssertionError, match="hetwin, cycle 0"):
        machines.check("hetwin", late)
