"""What is written as Python prints, alone and without hetwin, the trace of the network."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from random_networks import random_network, random_rows

from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun
from hetwin_machines.written_code import code_of

COLUMNS = ("level", "go", "tick")


def table(rows: list[dict[str, Any]]) -> str:
    lines = [",".join(str(row[name]).lower() for name in COLUMNS) for row in rows]
    return "\n".join([",".join(COLUMNS), *lines]) + "\n"


def printed(code: str, rows: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "network.py").write_text(code, encoding="utf-8")
    (folder / "inputs.csv").write_text(rows, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-I", folder / "network.py", folder / "inputs.csv"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


QUICK = range(0, 100, 9)


@pytest.mark.parametrize(
    "seed", [pytest.param(i, marks=() if i in QUICK else pytest.mark.long) for i in range(200)]
)
def test_it_prints_the_trace(seed: int, tmp_path: Path) -> None:
    network, rows = read_network(random_network(seed)), random_rows(seed, 12)
    run, lines = NetworkRun(network), []
    for row in rows:
        lines += list(run.step(row))
        if run.is_over:
            break
    done = printed(code_of(network, "random.yaml"), table(rows), tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(json.dumps(line) + "\n" for line in lines)


def test_signals_may_have_the_names_that_the_code_uses(tmp_path: Path) -> None:
    names = ("s", "s_", "state", "fires", "arc_0", "plus", "fires__")
    sums = {name: f"{name} + {i}" for i, name in enumerate(names)}
    states = {
        "A": [{"if": "fires >= arc_0 - 6", "do": sums, "to": "A"}, {"if": "s_ < 0", "to": "A"}]
    }
    data = {
        "advance": "once",
        "machines": {"m": {"initial": "A", "init": dict.fromkeys(names, 0), "states": states}},
        "events": ["go"],
    }
    network = read_network(data)
    run = NetworkRun(network)
    lines = [*run.step({}), *run.step({})]
    assert lines[1]["signals"] == {"go": False, **{name: 2 * i for i, name in enumerate(names)}}
    done = printed(code_of(network, "names.yaml"), "go\nfalse\nfalse\n", tmp_path)
    assert done.stdout == "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("level,go\n1,true\n", "line 1: the column 'tick' is missing"),
        ("level,go,tick,x\n", "line 1: there is no input or event 'x'"),
        ("level,go,tick\n1,true\n", "line 2: found 2 columns; expected 3: level, go, tick"),
        ("level,go,tick\nnan,true,true\n", "line 2, column level: found 'nan'; expected a finite"),
        ("level,go,tick\n1,yes,true\n", "line 2, column go: found 'yes'; expected true or false"),
    ],
)
def test_a_wrong_table_is_named(rows: str, says: str, tmp_path: Path) -> None:
    done = printed(code_of(read_network(random_network(1)), "random.yaml"), rows, tmp_path)
    assert done.returncode == 2
    assert says in done.stderr
