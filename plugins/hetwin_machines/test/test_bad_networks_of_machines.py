"""Bad networks and tables end `hetwin machines` with code 2 and words that name file, line, machine, state and key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.hetwin_command import hetwin

NETWORK = """\
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
        - if: "n > 0"
          do: {n: n - 1}
          to: TURN
        - {if: "n <= 0", do: {busy: false}, pop: 0, to: TOP}
"""
ROWS = "rot,go\n2,true\n"
NETWORKS = [
    ("to: TURN\n        -", "to: TURNED\n        -", "line 15, machines.turner.states.TURN.0.to"),
    ("initial: LISTEN", "initial: HEAR", "line 6, machines.turner.initial: there is no such state"),
    ("initial: LISTEN", "first: LISTEN", "line 6, machines.turner.first: there is no such key"),
    ("push: [LISTEN]", "push: [NONE]", "line 11, machines.turner.states.LISTEN.1.push"),
    ("pop: 0", "pop: -1", "line 16, machines.turner.states.TURN.1.pop"),
    ("pop: 0", "pop: some", "line 16, machines.turner.states.TURN.1.pop"),
    ('"n > 0"', '"__import__(1)"', "line 13, machines.turner.states.TURN.0.if: the expression"),
    ('"n > 0"', '"n > 0; exit"', "line 13, machines.turner.states.TURN.0.if: the expression"),
    ('"n > 0"', '"n.__class__"', "line 13, machines.turner.states.TURN.0.if: the expression"),
    ('"n > 0"', '"n > 1e999"', "1e999 is too large, or not a value (column 5)"),
    ('"n > 0"', f'"{"n + " * 500}n > 0"', "nested deeper"),
    ("{n: n - 1}", "{rot: n - 1}", "line 14, machines.turner.states.TURN.0.do.rot: an input"),
    ("{n: n - 1}", "{go: true}", "line 14, machines.turner.states.TURN.0.do.go: an event"),
    ("{n: n - 1}", "{TOP: 1}", "line 14, machines.turner.states.TURN.0.do: this name is reserved"),
    ("{n: n - 1}", "{n: }", "line 14, machines.turner.states.TURN.0.do.n: not an expression"),
    (
        "init: {n: 0,",
        "init: {n: .nan,",
        "line 7, machines.turner.init.n: a signal cannot have this value",
    ),
    ("inputs: [rot]", "inputs: [rot, go]", "line 2, events: go is already in inputs"),
    ("      TURN:\n", "      TOP:\n", "line 12, machines.turner.states.TOP: this name is reserved"),
    ("outputs: [busy]", "output: [busy]", "there is no such key; found 'output'"),
    ("      TURN:\n", "      LISTEN:\n", "line 12: a key appears twice; found 'LISTEN'"),
    ("outputs: [busy]", "max_cycles: 0", "line 3, max_cycles"),
    ("outputs: [busy]", "advance: never", "line 3, advance: not one of the choices"),
    ("{n: 0, busy: false}", "[n, busy]", "line 7, machines.turner.init: not a mapping"),
    ("machines:", "machine:", "there is no such key; found 'machine'"),
    ("inputs: [rot]", "inputs: [rot", "this is not YAML"),
]
TABLES = [
    ("rot,go\n2\n", "line 2: found 1 columns; expected 2: rot, go"),
    ("rot,go\n2,true,3\n", "line 2: found 3 columns; expected 2: rot, go"),
    ("rot\n2\n", "line 1: the column 'go' is missing"),
    ("rot,go,x\n", "line 1: there is no input or event 'x'"),
    ("rot,go,go\n", "line 1: the column 'go' occurs twice"),
    ("rot,go\n2,true\nnan,true\n", "line 3, column rot: found 'nan'; expected a finite number"),
    ("rot,go\n1_0,true\n", "line 2, column rot: found '1_0'"),
    ("rot,go\nmany,true\n", "line 2, column rot: found 'many'"),
    ("rot,go\n99999999999999999999,true\n", "line 2, column rot"),
    ("rot,go\n2,\n", "line 2, column go: found ''; expected true or false"),
    ("", "line 1: the column 'rot' is missing"),
]


def refused(folder: Path, network: str, rows: str) -> str:
    (folder / "net.yaml").write_text(network, encoding="utf-8")
    (folder / "rows.csv").write_text(rows, encoding="utf-8")
    said = hetwin("machines", "run", folder / "net.yaml", "--inputs", folder / "rows.csv", "--json")
    assert said.code == 2
    assert json.loads(said.out)["error"]["message"]
    assert "Traceback" not in said.err
    return said.err


@pytest.mark.parametrize(("old", "new", "says"), NETWORKS)
def test_the_network_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in NETWORK
    text = refused(tmp_path, NETWORK.replace(old, new, 1), ROWS)
    assert says in text
    assert "net.yaml" in text


@pytest.mark.parametrize(("rows", "says"), TABLES)
def test_the_table_is_refused(rows: str, says: str, tmp_path: Path) -> None:
    text = refused(tmp_path, NETWORK, rows)
    assert says in text
    assert "rows.csv" in text


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    said = hetwin("machines", "run", tmp_path / "none.yaml", "--inputs", tmp_path / "none.csv")
    assert said.code == 2
    assert "there is no such file" in said.err
    assert "counter" in said.err
    said = hetwin("machines", "run", "counter", "--inputs", tmp_path / "none.csv")
    assert said.code == 2
    assert "none.csv: the file cannot be read" in said.err
    said = hetwin("machines", "code", "counter", "--out", tmp_path)
    assert said.code == 2
    assert "--out: the file cannot be written" in said.err
