"""`hetwin ask --sql` and `hetwin show --out FOLDER`: what they print, and how they end."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from support import warm_starts
from support.carried_box import carried_box
from support.hetwin_command import hetwin, refused

from hetwin_sql import asking, database
from hetwin_sql.deadline import QueryTimeout
from hetwin_sql.views import VIEWS
from hetwin_suite.tables import LOG

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT * FROM r"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    pytest.importorskip("duckdb", reason="the extra tables is not installed")
    monkeypatch.setattr(database, "open_tables", lambda folder: carried_box())
    (tmp_path / "today" / LOG).mkdir(parents=True)
    return tmp_path / "today"


def test_json_has_columns_and_rows_of_plain_values(run: Path) -> None:
    text = "SELECT name, time, 1.5 AS half, [name] AS names, NULL AS none FROM events ORDER BY time"
    said = hetwin("ask", "--sql", run, text, "--json")
    assert said.code == 0, said.err
    printed = json.loads(said.out)
    assert printed["columns"] == ["name", "time", "half", "names", "none"]
    assert printed["rows"][0] == ["pick_up", 2.0, 1.5, ["pick_up"], None]
    assert [row[0] for row in printed["rows"]] == ["pick_up", "set_down", "fell"]


def test_people_read_a_table(run: Path) -> None:
    text = 'SELECT id, parent, after, "to" FROM tasks WHERE parent IS NOT NULL'
    assert hetwin("ask", "--sql", run, text).out.splitlines() == [
        "id       parent   after        to",
        'carry.1  place.1  ["reach.1"]  4',
    ]


def test_people_read_so_many_rows_and_that_there_are_more(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_MAX_PRINTED_ROWS", 3)
    shown = hetwin(
        "ask", "--sql", run, "SELECT range AS i FROM range(1, 1000000000)"
    ).out.splitlines()
    assert shown == ["i", "1", "2", "3", "... only the first 3 rows; --json prints all"]


def test_no_rows_are_no_error(run: Path) -> None:
    text = "SELECT name FROM events WHERE name = 'spilled'"
    assert json.loads(hetwin("ask", "--sql", run, text, "--json").out) == {
        "columns": ["name"],
        "rows": [],
    }
    assert hetwin("ask", "--sql", run, text).out == "name\n"


def test_endless_sql_ends_with_3_and_prints_no_half_of_an_object(run: Path) -> None:
    said = hetwin("ask", "--sql", run, ENDLESS, "--within", "0.3", "--json")
    assert said.code == 3
    assert "the query did not end" in json.loads(said.out)["error"]["message"]
    assert said.err.startswith("error: the query did not end within 0.3 s; expected a faster query")


def test_a_query_that_cannot_be_ended_ends_the_command(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    asking._exit_process(QueryTimeout(2.0))
    assert ended == [3]
    assert "error: the query did not end within 2 s" in capsys.readouterr().err


def test_wrong_sql_ends_with_2_and_leaves_nothing(run: Path) -> None:
    refused(run, "ask", "--sql", run, "SELECT * FROM event", says=("'event'", "perhaps 'events'"))
    refused(run, "ask", "--sql", run, "DROP TABLE events", says=("does more than read", "DROP"))
    refused(
        run,
        "ask",
        "--sql",
        run,
        f"COPY events TO '{run}/x.csv'",
        says=("does more than read", "COPY"),
    )
    refused(run, "ask", "--sql", run, "SELECT 1", "--within", "0", says=("--within", "found 0.0"))
    refused(
        run,
        "ask",
        "--sql",
        run / LOG,
        "SELECT 1",
        says=("there is no episode", "hetwin show --out FOLDER"),
    )


def test_tables_are_written_as_files_that_sql_reads(run: Path, tmp_path: Path) -> None:
    said = hetwin("show", run, "--out", tmp_path / "files", "--json")
    assert said.code == 0, said.err
    printed = json.loads(said.out)
    assert printed["folder"] == str(tmp_path / "files")
    assert [*printed["tables"]] == [*VIEWS]
    assert printed["tables"]["events"]["rows"] == 3
    size = (tmp_path / "files" / "events.parquet").stat().st_size
    assert printed["tables"]["events"]["bytes"] == size
    again = hetwin("ask", "--sql", tmp_path / "files", "SELECT count(*) AS n FROM events", "--json")
    assert json.loads(again.out) == {"columns": ["n"], "rows": [[3]]}
    assert "events" in hetwin("show", run, "--out", tmp_path / "files").out


def test_tables_of_no_run_are_refused(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "files"
    refused(tmp_path, "show", tmp_path, "--out", out, says=("there is no run in this folder",))


def test_without_duckdb_it_says_what_to_install(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    refused(
        run, "ask", "--sql", run, "SELECT 1", says=("DuckDB", 'pip install "hetwin-suite[tables]"')
    )


def test_the_command_s_process_ends_without_a_word(run: Path, tmp_path: Path) -> None:
    assert hetwin("show", run, "--out", tmp_path / "files").code == 0
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "ask", "--sql", tmp_path / "files"]
    done = warm_starts.run([*command, "SELECT 1 AS one"])
    assert (done.stdout, done.stderr) == ("one\n1\n", "")
