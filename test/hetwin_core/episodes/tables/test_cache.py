"""What was found in a log is kept beside it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support.touching_run import TouchingRun

from hetwin_core.ensemble.beliefs import BeliefFields, belief_event
from hetwin_core.episodes.tables import found as cache
from hetwin_core.episodes.tables import open as opening
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.tables import Tables

_FILE = Path("tables", "found.npz")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = TouchingRun(tmp_path_factory.mktemp("cached") / "run")
    pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    run.say(belief_event(BeliefFields("loc", ("box",), pose=pose), 10**9, "/beliefs"))
    run.say(
        belief_event(
            BeliefFields("visible", ("box",), confidence=0.5, origin="percept"), 10**9, "/percepts"
        )
    )
    return run.write()


@pytest.fixture
def run(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "run"))


def _said(tables: Tables) -> list[object]:
    pose = tables.poses.at("box", 2 * 10**9)
    return [
        *(list(table) for table in (tables.occasions, tables.events, tables.tasks, tables.beliefs)),
        (tuple(tables.belief_errors), tables.recorded, tables.believed, tables.known_until_ns),
        (tables.expects, tables.layout, pose[0], pose[1].tolist()),
    ]


def _is_read_again(run: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    read: list[Path] = []
    follower = opening.Follower
    monkeypatch.setattr(opening, "Follower", lambda run: read.append(run) or follower(run))
    open_tables(run)
    monkeypatch.undo()
    return bool(read)


def test_the_second_time_the_log_is_not_read(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _said(open_tables(run))
    assert (run / _FILE).exists()
    assert sorted(path.name for path in (run / "tables").iterdir()) == ["found.npz"]
    assert not _is_read_again(run, monkeypatch)
    assert _said(open_tables(run)) == first


def test_another_log_is_read_again(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_tables(run)
    log = run / "log" / "log.mcap"
    os.utime(log, ns=(1, 1))
    assert _is_read_again(run, monkeypatch)
    assert not _is_read_again(run, monkeypatch)


def test_another_program_reads_again(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_tables(run)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "_program", lambda: "another")
        assert _is_read_again(run, monkeypatch)


def test_a_damaged_file_is_replaced(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _said(open_tables(run))
    (run / _FILE).write_bytes((run / _FILE).read_bytes()[:1000])
    assert _said(open_tables(run)) == first
    assert not _is_read_again(run, monkeypatch)


def test_where_nothing_can_be_written_the_log_is_read_each_time(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run / "tables").write_text("no folder", encoding="utf-8")
    assert _said(open_tables(run)) == _said(open_tables(run))
    assert _is_read_again(run, monkeypatch)
