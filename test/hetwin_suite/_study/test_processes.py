"""Warm workers on this machine: what they do when one dies, hangs or fails."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from hetwin_core.ensemble.errors import BadInput, HetwinError, RunFailed
from hetwin_core.ensemble.supervision.heartbeat import STEP, Heartbeat
from hetwin_suite._study.processes import Processes
from hetwin_suite._study.work import FinishedTask, FunctionJob, Job


@dataclass
class Squares(Job[int, tuple[int, int]]):
    """Squares numbers; `special` is done with some before."""

    folder_of_all: Path
    special: dict[int, Callable[[Path], None]] = field(default_factory=dict)
    warmed: int = 0

    def warm(self) -> None:
        self.warmed += 1

    def do(self, task: int, heartbeat: Heartbeat | None) -> tuple[int, int]:
        assert self.warmed == 1  # by the parent, once
        assert heartbeat is not None
        heartbeat.row(-1)[STEP] = task
        if task in self.special:
            self.special[task](self.folder_of_all)
        return task * task, os.getpid()

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        return "it hangs" if heartbeat.row(-1)[STEP] == 1000 else None


def done(
    job: Squares, tasks: Sequence[int], jobs: int = 2
) -> tuple[dict[int, FinishedTask[int, tuple[int, int]]], list[str]]:
    """What came of the tasks, and what was noted."""
    notes: list[str] = []
    found = {one.task: one for one in Processes(jobs).work(job, tasks, notes.append)}
    return found, notes


def die(folder: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(folder: Path) -> None:
    if not (folder / "died").exists():
        (folder / "died").touch()
        die(folder)


def fail(folder: Path) -> None:
    raise HetwinError("nothing fits")


def hang(folder: Path) -> None:
    time.sleep(600.0)


def test_each_task_is_done_once_by_processes_that_stay(tmp_path: Path) -> None:
    found, notes = done(Squares(tmp_path), range(12))
    assert {task: one.result[0] for task, one in found.items() if one.result} == {
        n: n * n for n in range(12)
    }
    assert len({one.result[1] for one in found.values() if one.result}) == 2
    assert not notes


def test_a_killed_worker_is_named_and_its_task_done_again(tmp_path: Path) -> None:
    found, notes = done(Squares(tmp_path, {3: die_once}), range(6))
    assert sorted(found) == list(range(6))
    assert all(one.result and not one.lost for one in found.values())
    (note,) = notes
    assert "worker " in note
    assert "was killed by SIGKILL in 3, which is retried" in note


def test_a_task_that_kills_two_workers_is_lost(tmp_path: Path) -> None:
    found, notes = done(Squares(tmp_path, {3: die}), range(6))
    with pytest.raises(RunFailed, match="SIGKILL; is there enough memory"):
        found[3].check()
    assert [n for n, one in found.items() if one.result is None] == [3]
    assert len(notes) == 1


def test_a_task_that_hangs_is_lost_and_the_others_go_on(tmp_path: Path) -> None:
    found, _ = done(Squares(tmp_path, {1000: hang}), [1, 1000, 2, 3], jobs=1)
    assert found[1000].lost == "it hangs"
    assert found[3].result is not None


def test_a_task_that_fails_says_why(tmp_path: Path) -> None:
    found, _ = done(Squares(tmp_path, {2: fail}), range(4))
    assert found[2].lost == "nothing fits"
    with pytest.raises(HetwinError, match="nothing fits"):
        found[2].check()
    assert found[3].result is not None


def test_who_has_enough_ends_the_workers(tmp_path: Path) -> None:
    work = Processes(2).work(Squares(tmp_path), count(), print)
    pids = {next(work).result[1] for _ in range(4)}  # type: ignore[index]
    work.close()
    for pid in pids:
        assert not Path(f"/proc/{pid}").exists()


def halved(number: int) -> int:
    if number % 2:
        raise BadInput("not an even number", found=number, expected="an even one")
    return number // 2


def test_a_function_is_called_with_each_and_what_it_raises_is_raised() -> None:
    found = {done.task: done for done in Processes(2).work(FunctionJob(halved), [4, 7, 10])}
    assert (found[4].value, found[10].value) == (2, 5)
    with pytest.raises(BadInput, match="not an even number"):
        found[7].check()


class Awkward(Exception):
    def __init__(self, one: int, other: int) -> None:
        super().__init__(f"{one} and {other}")


def failing(number: int) -> int:
    if number:
        raise RunFailed("arm", "step", 2_000_000_000, "it is stuck")
    raise Awkward(3, 4)


def test_errors_that_do_not_go_through_a_pipe_by_themselves_are_raised_too() -> None:
    found = {done.task: done for done in Processes(1).work(FunctionJob(failing), [0, 1])}
    with pytest.raises(RunFailed, match="it is stuck") as raised:
        found[1].check()
    assert (raised.value.model, raised.value.time_ns) == ("arm", 2_000_000_000)
    # As itself where a test before has imported distributed, whose tblib teaches pickle every exception that there is.
    with pytest.raises((RuntimeError, Awkward), match="3 and 4"):
        found[0].check()


class Unending:
    """Pickling it never ends, for what it is made of is made anew each time."""

    def __reduce__(self) -> tuple[object, ...]:
        return Unending, (Unending(),)

    def __repr__(self) -> str:
        return "something unending"


def find_unending(_: Path) -> None:
    raise BadInput("this is no number", file=Path("a.yaml"), found=Unending(), expected="one")


def find_seven(_: Path) -> None:
    raise BadInput("this is too many", where="cups", found=7)


def test_bad_input_comes_back_whatever_was_found(tmp_path: Path) -> None:
    found, _ = done(Squares(tmp_path, {1: find_unending, 2: find_seven}), [1, 2])
    first, second = found[1].error, found[2].error
    assert isinstance(first, BadInput)
    assert str(first) == found[1].lost.replace("something unending", "'something unending'")
    assert (first.file, first.expected) == ("a.yaml", "one")
    assert isinstance(second, BadInput)
    assert (str(second), second.found) == (found[2].lost, 7)
