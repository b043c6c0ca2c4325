"""`hetwin machines link` prints entries, answers and alarms, and writes the logger's table."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused

from hetwin_core.ensemble.resources import resource

MESSAGES = """time,from,id,message
0.1,l1,7,1 90 0.5
0.22,virtual,7,ok
0.3,l1,8,2
0.4,real,7,far
"""
TIMES = ("--period", "0.1", "--timeout", "0.5")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "messages.csv"
    file.write_text(MESSAGES, encoding="utf-8")
    return file


def test_what_is_printed_as_json(table: Path) -> None:
    said = hetwin("machines", "link", table, *TIMES, "--json")
    assert said.code == 0, said.err
    first = {"id": 7, "cycle": 4, "state": "AHEAD", "rotation": 90.0, "displacement": 0.5}
    second = {"id": 8, "cycle": 9, "state": "NONE", "rotation": None, "displacement": None}
    assert json.loads(said.out) == {
        "entries": [
            {**first, "lap1": 0.2, "lap2": 0.3, "D": 0},
            {**second, "lap1": None, "lap2": None, "D": 0},
        ],
        "replies": [
            {"cycle": 4, "id": 7, "message": "far"},
            {"cycle": 9, "id": 8, "message": "timeout"},
        ],
        "alarms": [
            {"cycle": 4, "kind": "inconsistent", "side": "both", "id": 7},
            {"cycle": 9, "kind": "timeout", "side": "real", "id": 8},
            {"cycle": 9, "kind": "timeout", "side": "virtual", "id": 8},
        ],
    }


def test_without_a_real_robot_the_virtual_one_answers(table: Path) -> None:
    table.write_text(MESSAGES.rpartition("0.4,")[0], encoding="utf-8")
    said = json.loads(hetwin("machines", "link", table, *TIMES, "--json").out)
    assert [reply["message"] for reply in said["replies"]] == ["ok", "timeout"]
    silent = json.loads(hetwin("machines", "link", table, *TIMES, "--real", "--json").out)
    assert [reply["message"] for reply in silent["replies"]] == ["timeout", "timeout"]


def test_people_get_a_table() -> None:
    said = hetwin(
        *("machines", "link", resource("scenarios", "networks", "messages.csv")),
        *("--period", "0.05", "--timeout", "5"),
    )
    assert "AHEAD" in said.out
    assert "BEHIND" in said.out
    assert "alarm in cycle 162: inconsistent, both, command 4" in said.out


def test_the_log_has_a_row_for_each_command(table: Path, tmp_path: Path) -> None:
    log = tmp_path / "logs" / "log.csv"
    assert hetwin("machines", "link", table, *TIMES, "--log", log).code == 0
    first, second = csv.DictReader(log.read_text().splitlines())
    assert (first["T"], first["lap_real"], first["lap_virtual"]) == ("0.1", "0.3", "0.2")
    assert second["alarms"] == "timeout:real timeout:virtual"


BAD = {
    "no file": ({}, "nowhere.csv", ("nowhere.csv", "a table with the columns time")),
    "a column is missing": ({"from,": ""}, "", ("messages.csv: line 1", "time,from,id,message")),
    "no robot": ({"virtual": "virtuel"}, "", ("line 3, column from", "'virtuel'", "virtual")),
    "no motion": ({"90 0.5": "90"}, "", ("line 2, column message", "'1 90'")),
    "no time": ({"0.22": "nan"}, "", ("line 3, column time", "'nan'")),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_tables(kind: str, table: Path, tmp_path: Path) -> None:
    changes, name, says = BAD[kind]
    text = MESSAGES
    for old, new in changes.items():
        text = text.replace(old, new, 1)
    table.write_text(text, encoding="utf-8")
    refused(tmp_path, "machines", "link", tmp_path / name if name else table, *TIMES, says=says)


@pytest.mark.parametrize(("option", "value"), [("--period", "0"), ("--timeout", "-1")])
def test_bad_times(option: str, value: str, table: Path, tmp_path: Path) -> None:
    refused(tmp_path, "machines", "link", table, *TIMES, option, value, says=(option,))
