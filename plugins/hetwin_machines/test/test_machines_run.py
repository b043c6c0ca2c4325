"""`hetwin machines run` prints what machines, stacks and signals were, as JSON and for people."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin

NETWORK = """
inputs: [rot]
events: [go]
outputs: [busy]
machines:
  turner:
    initial: LISTEN
    init: {n: 0, busy: false}
    states:
      LISTEN:
        - {if: "!go", to: LISTEN}
        - {if: go, do: {n: rot, busy: true}, push: [LISTEN], to: TURN}
      TURN:
        - {if: "n > 0", do: {n: n - 1}, to: TURN}
        - {if: "n == 0", do: {busy: false}, to: TOP}
"""
ROWS = "go,rot\nfalse,2\ntrue,\nfalse,-1\ntrue,\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "turner.yaml").write_text(NETWORK, encoding="utf-8")
    (tmp_path / "rows.csv").write_text(ROWS, encoding="utf-8")
    return tmp_path


def lines(folder: Path, *options: str) -> list[dict[str, Any]]:
    said = hetwin(
        *("machines", "run", folder / "turner.yaml", "--inputs", folder / "rows.csv"),
        *("--json", *options),
    )
    assert said.code == 0, said.err
    return [json.loads(line) for line in said.out.splitlines()]


def test_a_line_a_cycle(folder: Path) -> None:
    found = lines(folder, "--trace")
    assert [(line["cycle"], line["step"]) for line in found] == [
        *((1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 2), (8, 3), (9, 3), (10, 3))
    ]
    assert found[1] == {
        "cycle": 2,
        "step": 1,
        "machines": {"turner": {"state": "TURN", "stack": ["LISTEN"]}},
        "signals": {"rot": 2, "go": True, "busy": True, "n": 2},
    }
    assert [line["signals"]["n"] for line in found] == [0, 2, 1, 0, 0, 0, 0, -1, -1, -1]
    assert found[-1]["machines"]["turner"] == {"state": "__INCOMPLETE__", "stack": ["LISTEN"]}


def test_a_line_a_step_is_its_last_cycle(folder: Path) -> None:
    every = lines(folder, "--trace")
    assert lines(folder) == [every[0], every[5], every[6], every[9]]


def test_reasons_and_counts_come_when_they_are_asked_for(folder: Path) -> None:
    *seen, last = lines(folder, "--trace", "--why", "--profile")
    assert [{k: v for k, v in line.items() if k != "why"} for line in seen] == lines(
        folder, "--trace"
    )
    reasons = [line["why"] for line in seen if line["why"]]
    guards = "arc 0 if n > 0 is false, arc 1 if n == 0 is false (n = -1)"
    assert reasons == [{"turner": f"no arc of TURN fires: {guards}"}]
    turn = last["profile"]["machines"]["turner"]["TURN"]
    assert turn == {"visits": 2, "cycles": 4, "longest": 3, "arcs": [2, 1]}


def test_people_see_a_line_each_and_why(folder: Path) -> None:
    said = hetwin("machines", "run", folder / "turner.yaml", "--inputs", folder / "rows.csv")
    first, *_, fault, reason, _ = said.out.splitlines()
    assert first.endswith("turner LISTEN  | rot=2  go=false  busy=false  n=0")
    assert "turner __INCOMPLETE__ [LISTEN]" in fault
    assert reason.strip().startswith("turner is __INCOMPLETE__: no arc of TURN fires")


def test_rows_may_come_from_a_pipe(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(ROWS))
    said = hetwin("machines", "run", folder / "turner.yaml", "--inputs", "-", "--json")
    assert [json.loads(line) for line in said.out.splitlines()] == lines(folder)


def test_a_network_that_needs_nothing_takes_a_step_a_line(tmp_path: Path) -> None:
    (tmp_path / "alone.yaml").write_text(
        "advance: once\nmachines: {m: {initial: A, init: {n: 0},"
        " states: {A: [{if: true, do: {n: n + 1}, to: A}]}}}",
        encoding="utf-8",
    )
    (tmp_path / "rows.csv").write_text("\n\n\n\n", encoding="utf-8")
    said = hetwin(
        *("machines", "run", tmp_path / "alone.yaml", "--inputs", tmp_path / "rows.csv", "--json")
    )
    assert [json.loads(line)["signals"]["n"] for line in said.out.splitlines()] == [1, 2, 3]
