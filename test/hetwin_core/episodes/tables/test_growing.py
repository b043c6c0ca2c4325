"""A log that grows: what is said of it while it does is what is said of it in the end."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.touching_run import STEP_NS, TouchingRun

from hetwin_core.ensemble.beliefs import BeliefFields, belief_event
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.tasks import TaskFields, task_event
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import Follower, open_tables
from hetwin_core.episodes.tables.tables import Tables


def _believed(second: int) -> Event:
    """The box is believed on the table until 5 s."""
    x = 0.5 if second >= 5 else 0.0
    pose = (x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    fields = BeliefFields("loc", ("box",), pose=pose, origin="/believed/box")
    return belief_event(fields, second * 1_000_000_000, "/beliefs")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose log has many small chunks."""
    run = TouchingRun(tmp_path_factory.mktemp("growing") / "run")
    run.say(*(_believed(second) for second in range(6)))
    run.say(
        task_event(TaskFields("place.1", operation="place", status="active"), 10**9, "/tasks"),
        task_event(TaskFields("place.1", operation="place", status="done"), 4 * 10**9, "/tasks"),
    )
    with RunLog(run.out) as log:
        run.write(log, after=lambda step: log._flush(-1.0 if step % 13 == 0 else 3600.0))
    return run.out


def _known(tables: Tables, until_ns: int) -> set[object]:
    """All that is said until a time; rows keep their numbers."""
    occasions = {
        (o.row, o.fluent, o.a, o.b, o.span.from_ns, min(o.span.to_ns, until_ns))
        for o in tables.occasions
        if o.span.from_ns < until_ns
    }
    events = {(e.row, e.time_ns, e.name) for e in tables.events if e.time_ns <= until_ns}
    beliefs = {(b.row, b.span.from_ns) for b in tables.beliefs if b.span.from_ns <= until_ns}
    tasks = {(t.id, t.span.from_ns) for t in tables.tasks if t.span.from_ns <= until_ns}
    return occasions | events | beliefs | tasks


def test_what_is_known_of_a_growing_log_stays(written: Path, tmp_path: Path) -> None:
    whole = open_tables(written)
    data = (written / "log" / "log.mcap").read_bytes()
    growing = tmp_path / "growing"
    (growing / "log").mkdir(parents=True)
    file = growing / "log" / "log.mcap"
    file.write_bytes(b"")
    follower = Follower(growing)
    polls = 0
    for size in range(len(data) // 3, len(data), len(data) // 23):
        file.write_bytes(data[:size])
        tables = follower.poll()
        if tables.finished:  # what follows the messages is for readers that begin at the end
            break
        newest = tables.poses.at("box", whole.known_until_ns)[0]
        assert newest - 700_000_000 <= tables.known_until_ns < newest
        assert _known(tables, tables.known_until_ns) == _known(whole, tables.known_until_ns)
        polls += 1
    file.write_bytes(data)
    tables = follower.poll()
    assert polls > 8
    assert tables.finished
    assert tables.known_until_ns == whole.known_until_ns
    assert list(tables.occasions) == list(whole.occasions)
    assert list(tables.events) == list(whole.events)
    assert list(tables.belief_errors) == list(whole.belief_errors)


def test_a_stale_belief_is_wrong_from_where_the_world_moves(written: Path) -> None:
    (error,) = open_tables(written).belief_errors
    assert (error.fluent, error.a) == ("loc", "box")
    assert error.distance == pytest.approx(0.5, abs=0.03)
    assert error.span.from_ns == pytest.approx(1.7e9, abs=200_000_000)
    assert error.moved_ns == error.span.from_ns
    assert error.span.to_ns == 5_000_000_000
    assert error.believed_ns == 4_000_000_000


def test_a_log_without_a_scene_yet_is_refused(tmp_path: Path, written: Path) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "log.mcap").write_bytes((written / "log" / "log.mcap").read_bytes()[:300])
    with pytest.raises(BadInput, match="the log holds no scene"):
        Follower(tmp_path).poll()


def test_a_truncated_log_is_refused(tmp_path: Path, written: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(written, run, ignore=shutil.ignore_patterns("tables"))
    file = run / "log" / "log.mcap"
    data = file.read_bytes()
    file.write_bytes(data[: len(data) // 2])
    with pytest.raises(
        BadInput, match=r"the log is truncated: it breaks off at byte \d+, after \d\.\d+ s"
    ):
        open_tables(run)
    file.write_bytes(data[: len(data) // 2] + bytes(range(256)) * 40 + data[len(data) // 2 :])
    with pytest.raises(BadInput, match="truncated"):
        open_tables(run)


def test_a_log_that_was_recovered_is_read_anew(tmp_path: Path, written: Path) -> None:
    run = tmp_path / "run"
    log = RunLog(run)
    TouchingRun(run, end_s=2.0).write(log)
    follower = Follower(run)
    first = follower.poll()
    log.close()
    shutil.rmtree(run)
    shutil.copytree(written, run)
    assert follower.poll().known_until_ns > first.known_until_ns + STEP_NS
