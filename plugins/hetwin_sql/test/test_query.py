"""SQL over the tables of one and of many episodes."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import pytest

from hetwin_sql import library
from hetwin_sql.database import query
from hetwin_sql.deadline import QueryTimeout
from hetwin_sql.errors import QueryTooLarge
from hetwin_sql.parquet import write_tables
from hetwin_sql.views import VIEWS
from hetwin_suite.command import BadInput

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) "


def rows(folder: Path, sql: str, **more: Any) -> list[tuple[Any, ...]]:
    return list(query(folder, sql, **more).rows)


def test_occasions_events_and_tasks_have_the_promised_columns_first(runs: Path) -> None:
    first = {
        "occasions": ["episode", "fluent", "a", "b", "from", "to"],
        "events": ["episode", "time", "name", "arguments"],
        "tasks": ["episode", "id", "parent", "operation", "goal", "status", "from", "to"],
    }
    for view, names in first.items():
        result = query(runs, f"SELECT * FROM {view}")
        assert list(result.columns[: len(names)]) == names
        list(result.rows)


def test_what_stood_on_the_tray_and_until_when(runs: Path) -> None:
    sql = """SELECT episode, a, "from", "to", "row", ended FROM occasions WHERE fluent = 'on' AND b = 'tray'"""
    assert rows(runs, sql) == [
        ("first", "box", 4.0, 7.8, 4, True),
        ("later/second", "box", 4.0, 7.8, 4, True),
    ]
    assert rows(runs / "first", sql) == [("first", "box", 4.0, 7.8, 4, True)]


def test_what_is_not_there_is_null(runs: Path) -> None:
    sql = "SELECT count(*) - count(b) FROM occasions WHERE episode = 'first'"
    assert rows(runs, sql) == [(2,)]
    sql = "SELECT id, parent, goal, reason FROM tasks WHERE episode = 'first' ORDER BY id"
    assert rows(runs, sql) == [
        ("carry.1", "place.1", None, None),
        ("place.1", None, 'on("box", "tray")', None),
        ("retreat.1", None, None, "stuck"),
    ]


def test_arguments_variables_and_after_can_be_looked_into(runs: Path) -> None:
    one = runs / "first"
    assert rows(one, "SELECT arguments->>'support' FROM events WHERE name = 'set_down'") == [
        ("tray",)
    ]
    sql = "SELECT (variables->>'speed')::DOUBLE FROM tasks WHERE id = 'place.1'"
    assert rows(one, sql) == [(0.2,)]
    sql = "SELECT id FROM tasks WHERE list_contains(after, 'reach.1')"
    assert rows(one, sql) == [("carry.1",)]


def test_beliefs_and_their_errors_join_with_events(runs: Path) -> None:
    sql = """SELECT e.a, e.distance, v.name FROM belief_errors e JOIN events v
             ON v.time BETWEEN e."from" AND e."to" WHERE e.fluent = 'loc'"""
    assert rows(runs / "first", sql) == [("box", 0.4, "fell")]
    sql = "SELECT x, qw, holds, origin FROM beliefs ORDER BY fluent"
    assert rows(runs / "first", sql) == [
        (0.8, 1.0, True, "/believed/box"),
        (None, None, True, "/beliefs"),
    ]


def test_poses_are_kept_where_they_change_and_hold_in_between(runs: Path) -> None:
    one = runs / "first"
    counted = dict(rows(one, "SELECT entity, count(*) FROM poses GROUP BY entity"))
    assert counted["table"] == counted["tray"] == 1
    assert 100 < counted["box"] < 130
    sql = """SELECT x FROM poses WHERE entity = 'box' AND "from" <= {0} AND {0} < "to" """
    for time, x in ((0.0, 0.4), (3.0, 0.6), (7.0, 0.8), (9.99, 0.8)):
        ((found,),) = rows(one, sql.format(time))
        assert found == pytest.approx(x, abs=0.005)


def test_a_table_s_name_may_be_made_up_in_the_query(runs: Path) -> None:
    assert rows(runs, "SELECT count(*) FROM query_table('ta' || 'sks')") == [(6,)]


def test_a_view_of_no_episode_that_is_asked_is_described_all_the_same(runs: Path) -> None:
    assert {name for (name,) in rows(runs, "SHOW TABLES")} == {*VIEWS}
    described = rows(runs, "DESCRIBE poses")
    assert [row[0] for row in described] == [column.name for column in VIEWS["poses"]]


def test_parquet_files_are_read_back_as_the_run_itself(runs: Path) -> None:
    written = write_tables(runs / "first", runs.parent / "stored" / "files")
    assert {item.view: item.rows for item in written}["tasks"] == 3
    assert sorted(path.name for path in (runs.parent / "stored" / "files").iterdir()) == sorted(
        f"{view}.parquet" for view in VIEWS
    )
    for view in VIEWS:
        sql = f"SELECT * EXCLUDE (episode) FROM {view}"
        assert rows(runs.parent / "stored" / "files", sql) == rows(runs / "first", sql)
    everything = rows(runs.parent, "SELECT episode FROM episodes ORDER BY episode")
    assert everything == [("runs/first",), ("runs/later/second",), ("stored/files",)]


def test_a_damaged_parquet_file_is_named(runs: Path) -> None:
    stored = runs.parent / "stored"
    write_tables(runs / "first", stored)
    (stored / "tasks.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(BadInput, match=r"stored/tasks\.parquet: the table cannot be read"):
        query(stored, "SELECT * FROM tasks")


def test_nothing_is_left_where_the_tables_cannot_be_written(runs: Path) -> None:
    taken = runs.parent / "taken"
    taken.write_text("a file")
    with pytest.raises(BadInput, match=r"taken: the tables cannot be written: File exists"):
        write_tables(runs / "first", taken)
    assert taken.read_text() == "a file"


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELEC 1", r"line 1, at 'SELEC': syntax error .*expected DuckDB's SQL"),
        ("SELECT *\n FORM events", r"line 2, at 'events': syntax error"),
        ("SELECT from FROM tasks", r"syntax error .*\"from\" and \"to\" need their double quotes"),
        ("SELECT * FROM event", r"no such view; found 'event'; .*perhaps 'events'"),
        ("SELECT * FROM '/etc/passwd'", r"no such view; found '/etc/passwd'; expected one of occ"),
        ("SELECT * FROM connection", r"no such view; found 'connection'"),
        (
            "SELECT nam FROM events",
            r"no such column; found 'nam'; expected one of .*perhaps 'name'",
        ),
        ("SELECT t.frm FROM tasks t", r"no such column; found 'frm'; .*perhaps 'from'"),
        ("SELECT cuont(name) FROM events", r'cuont does not exist!; expected perhaps "count"'),
        ("SELECT * FROM events WHERE name = ?", r"Values were not provided"),
        ("", r"not exactly one statement; found 0; expected one statement"),
        ("SELECT 1; SELECT 2", r"not exactly one statement; found 2"),
        ("INSERT INTO tasks SELECT * FROM tasks", r"does more than read; found 'INSERT'"),
        ("DELETE FROM tasks", r"does more than read; found 'DELETE'"),
        ("CREATE TABLE x AS SELECT 1", r"does more than read; found 'CREATE'"),
        ("COPY tasks TO '/tmp/tasks.csv'", r"does more than read; found 'COPY'"),
        ("ATTACH '/tmp/other.duckdb'", r"does more than read; found 'ATTACH'"),
        ("SET memory_limit = '1TB'", r"does more than read; found 'SET'"),
        ("INSTALL httpfs", r"does more than read; found 'LOAD'"),
        ("SELECT * FROM read_csv('/etc/passwd')", r"views of the episodes, not files .*one of occ"),
        ("SELECT * FROM read_text('/etc/passwd')", r"views of the episodes, not files"),
        ("SELECT * FROM glob('/*')", r"views of the episodes, not files"),
        (
            "WITH x AS (INSERT INTO tasks SELECT * FROM tasks RETURNING *) SELECT * FROM x",
            r"read-only",
        ),
    ],
)
def test_what_is_no_question_to_the_views_is_refused_in_words(
    runs: Path, sql: str, says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        rows(runs, sql)


def test_a_folder_without_episodes_is_refused(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"empty: there is no episode in this folder; expected"):
        query(tmp_path / "empty", "SELECT 1")
    with pytest.raises(BadInput, match=r"nowhere: there is no such folder; expected"):
        query(tmp_path / "nowhere", "SELECT 1")
    with pytest.raises(
        BadInput, match=r"--within: the time limit of a query is not positive; found nan"
    ):
        query(runs, "SELECT 1", within=float("nan"))


@pytest.mark.parametrize("what", ["max(i)", "*"])
def test_a_query_that_never_ends_is_ended(runs: Path, what: str) -> None:
    with pytest.raises(QueryTimeout, match=r"did not end within 0\.3 s; expected .*--within"):
        for _ in query(runs, f"{ENDLESS} SELECT {what} FROM r", within=0.3).rows:
            pass


def test_a_query_that_takes_too_much_memory_is_ended(
    runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "MEMORY", "50MB")
    sql = "SELECT list(i) FROM range(10_000_000) t(i)"
    with pytest.raises(QueryTooLarge, match=r"more memory than 2GB; expected"):
        rows(runs, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(replace(repeat('a', 3000000), 'a', repeat('b', 200)))",
        "SELECT list(repeat('x', 100000)) FROM range(10000)",
        "SELECT repeat('x', 900000000)",
    ],
)
def test_texts_that_functions_make_count_to_the_memory(
    runs: Path, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hetwin_sql.library._MAX_BYTES", 300_000_000)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(QueryTooLarge, match="the query needs more memory than 2GB"):
        rows(runs, sql)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
