"""Copies of this process: each with a task, its own place in files, and an end that is known."""

from __future__ import annotations

import inspect
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from hetwin_core.ensemble.supervision.heartbeat import BEGUN, Heartbeat
from hetwin_suite._study.forks import Forked, Forks
from hetwin_suite._study.work import FinishedTask

PATIENCE_S = 60.0


def never(_: Heartbeat) -> str | None:
    return None


def work(
    forks: Forks, tasks: Iterable[int], do: Any, until: float | None = None
) -> dict[int, FinishedTask[int, Any]]:
    """What came of each task; the copies do it and end."""
    found: dict[int, FinishedTask[int, Any]] = {}
    for one in forks.work(tasks, until):
        if isinstance(one, Forked):
            one.end(do(one))
        found[one.task] = one
    return found


def test_each_copy_does_its_task() -> None:
    found = work(Forks(2, never), range(5), lambda forked: (forked.task**2, os.getpid()))
    assert {task: one.result[0] for task, one in found.items()} == {n: n * n for n in range(5)}
    assert os.getpid() not in {one.result[1] for one in found.values()}
    assert all(one.processor_s > 0.0 for one in found.values())


def many(forks: Forks, tasks: Iterable[int], do: Any) -> dict[int, FinishedTask[int, Any]]:
    """What came of each task; a copy goes on until there are no more."""
    found: dict[int, FinishedTask[int, Any]] = {}
    for one in forks.work(tasks):
        if isinstance(one, Forked):
            forked = one
            while True:
                forked = forked.next(do(forked))
        found[one.task] = one
    return found


def test_a_copy_may_do_many_tasks() -> None:
    found = many(Forks(2, never), range(20), lambda forked: (os.getpid(), forked.more))
    assert sorted(found) == list(range(20))
    assert len({one.result[0] for one in found.values()}) == 2
    assert [task for task, one in found.items() if not one.result[1]] == [19]
    assert all(one.processor_s >= 0.0 for one in found.values())


def test_a_copy_that_dies_at_a_later_task_takes_no_other_with_it() -> None:
    def die(forked: Forked[int, int]) -> int:
        if forked.task == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return forked.task

    found = many(Forks(1, never), range(6), die)
    assert [found[n].result for n in range(6)] == [0, 1, 2, None, 4, 5]
    assert "SIGKILL" in found[3].lost


def test_each_copy_reads_a_file_on_from_where_its_parent_is(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(200)) * 500)
    with path.open("rb", buffering=0) as file:
        file.seek(150)

        def rest(_: Forked[int, bytes]) -> bytes:
            return b"".join(iter(lambda: read_some(file), b""))

        found = work(Forks(4, never), range(8), rest)
        assert file.tell() == 150
    assert {one.result for one in found.values()} == {path.read_bytes()[150:]}


def read_some(file: BinaryIO) -> bytes:
    """A little, slowly enough that others read, too."""
    time.sleep(0.0001)
    return file.read(1000)


def test_a_copy_that_dies_is_named() -> None:
    def die(forked: Forked[int, int]) -> int:
        if forked.task == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return forked.task

    found = work(Forks(2, never), range(3), die)
    assert [found[n].result for n in range(3)] == [0, None, 2]
    assert "SIGKILL" in found[1].lost


def test_a_copy_that_hangs_is_ended() -> None:
    def hang(forked: Forked[int, int]) -> int:
        if forked.task == 0:
            forked.heartbeat.row(0)[BEGUN] = 1
            time.sleep(PATIENCE_S)
        return forked.task

    def overdue(heartbeat: Heartbeat) -> str | None:
        return "grasp: step takes too long" if heartbeat.under_way(1) else None

    found = work(Forks(2, overdue), range(2), hang)
    assert found[1].result == 1
    assert found[0].lost.startswith("grasp: step takes too long")


def test_what_is_not_over_in_time_is_ended() -> None:
    begun = time.monotonic()

    def sleep(forked: Forked[int, int]) -> int:
        if forked.task:
            time.sleep(PATIENCE_S)
        return forked.task

    found = work(Forks(2, never), range(9), sleep, until=begun + 6.0)
    assert set(found) == {0}
    assert time.monotonic() - begun < PATIENCE_S


PARENT = """
import os, time
from hetwin_suite._study.forks import Forked, Forks
for one in Forks(3, lambda _: None).work(range(3)):
    if isinstance(one, Forked):
        os.write(2, f"{os.getpid()}\\n".encode())
        time.sleep(600)
"""


def test_copies_end_with_their_parent() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stderr=subprocess.PIPE) as parent:
        assert parent.stderr is not None
        pids = [int(parent.stderr.readline()) for _ in range(3)]
        parent.kill()
    until = time.monotonic() + PATIENCE_S
    while (left := [pid for pid in pids if is_running(pid)]) and time.monotonic() < until:
        time.sleep(0.05)
    assert not left


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_copy_has_room_for_calls_of_its_own_however_deep_it_was_forked() -> None:
    def from_depth(left: int) -> dict[int, FinishedTask[int, int]]:
        return from_depth(left - 1) if left else work(Forks(1, never), range(1), deep)

    def deep(forked: Forked[int, int]) -> int:
        def down(left: int) -> int:
            return down(left - 1) if left else forked.task

        return down(500)

    assert from_depth(sys.getrecursionlimit() - 300 - len(inspect.stack()))[0].result == 0
