"""Where the tasks of two runs part."""

from __future__ import annotations

from dataclasses import replace

from support.compared import side
from support.made_tables import MadeTables, ns

from hetwin_compare.comparison import Side
from hetwin_compare.happenings import parting_of_task, split_tasks
from hetwin_core.episodes.tables.rows import Interval, Status

ALL = Interval(0, ns(10.0) + 1)


def run(*tasks: tuple[str, float, float, Status], end: float = 10.0) -> Side:
    made = MadeTables(end=end)
    for name, begin, over, status in tasks:
        made.did(name, begin, over, status=status, goal='on("box", "tray")', hand="right_hand")
    return side(made)


GRASP = ("grasp.1", 1.0, 2.0, Status.DONE)
PLACE = ("place.1", 2.0, 4.0, Status.DONE)


def test_the_same_tasks() -> None:
    assert not split_tasks(run(GRASP, PLACE), run(GRASP, ("place.1", 2.05, 3.95, Status.DONE)), ALL)


def test_a_task_that_fails_in_one_run_parts_at_its_end() -> None:
    here, there = run(GRASP, PLACE), run(GRASP, ("place.1", 2.0, 4.0, Status.FAILED))
    (split,) = split_tasks(here, there, ALL)
    parting = parting_of_task(split, here, there)
    assert (parting.time_ns, parting.entities) == (ns(4.0), ("right_hand", "box", "tray"))
    assert parting.there == {
        "id": "place.1",
        "operation": "place",
        "from": 2.0,
        "to": 4.0,
        "status": "failed",
    }
    assert split.words() == "the task place.1 is done here, failed there"


def test_tasks_that_take_longer_or_are_missing() -> None:
    (split,) = split_tasks(run(GRASP), run(("grasp.1", 1.0, 3.5, Status.DONE)), ALL)
    assert split.time_ns == ns(2.0)
    assert (
        split.words()
        == "the task grasp.1 lasts from 1.00 to 2.00 s here, from 1.00 to 3.50 s there"
    )
    (split,) = split_tasks(run(GRASP, PLACE), run(GRASP), ALL)
    assert (split.time_ns, split.words()) == (ns(2.0), "only here: the task place.1")


def test_ids_that_are_new_in_each_run_are_counted_by_operation() -> None:
    def named(number: str) -> Side:
        made = run(GRASP, PLACE)
        tasks = [replace(task, id=f"{number}{task.row}") for task in made.tables.tasks]
        return replace(made, tables=replace(made.tables, tasks=tasks))

    assert not split_tasks(named("a"), named("b"), ALL)


def test_a_run_that_is_cut_short_differs_only_before_its_end() -> None:
    cut = run(GRASP, ("place.1", 2.0, 3.0, Status.ACTIVE), end=3.0)
    assert not split_tasks(run(GRASP, PLACE), cut, Interval(0, ns(3.0)))
