"""Tasks, from messages and from annotations."""

from __future__ import annotations

import pytest

from hetwin_core.episodes.messages import message, stamp
from hetwin_core.episodes.tables.deriving.tasks import TaskBook

S = 1_000_000_000


def _message(time: int, name: str, status: str, **fields: object) -> object:
    blank = {"parent": "", "after": [], "operation": "", "goal": "", "reason": "", "variables": ""}
    return message(
        "hetwin/msg/Task", stamp=stamp(time * S), id=name, status=status, **{**blank, **fields}
    )


def test_messages_about_a_task_are_one_task() -> None:
    book = TaskBook()
    book.message(_message(1, "place.4", "created", operation="place", goal='on("box", "tray")'))
    book.message(_message(2, "place.4", "active", parent="serve.1", after=["pick_up.1"]))
    book.message(_message(5, "place.4", "failed", reason="slipped", variables='{"tries": 2}'))
    (task,) = book.tasks(9 * S)
    assert (task.id, task.parent, task.after) == ("place.4", "serve.1", ("pick_up.1",))
    assert (task.goal, task.reason, task.variables) == (
        'on("box", "tray")',
        "slipped",
        {"tries": 2},
    )
    assert task.span == (2 * S, 5 * S)
    assert task.history == ((1 * S, "created"), (2 * S, "active"), (5 * S, "failed"))
    (task,) = book.tasks(3 * S)
    assert (task.status, task.span) == ("active", (2 * S, 3 * S))


def test_variables_have_the_values_that_were_said_last() -> None:
    book = TaskBook()
    book.message(
        _message(1, "look.1", "active", operation="look", variables='{"seen": 1, "of": 3}')
    )
    book.message(_message(3, "look.1", "active", variables='{"seen": 2}'))
    book.annotation("look", 4 * S, {"task": "look.1", "phase": "end", "seen": 3})
    (task,) = book.tasks(9 * S)
    assert task.variables == {"seen": 3, "of": 3}
    said = [task.variables_at(time * S).get("seen") for time in range(6)]
    assert said == [None, 1, 1, 2, 3, 3]
    (task,) = book.tasks(3 * S)
    assert task.variables == {"seen": 2, "of": 3}


def test_annotations_with_a_task_count_as_messages() -> None:
    book = TaskBook()
    known = {"task": "grasp.5", "parent": "serve.1", "after": ["reach.1"], "hand": "gripper"}
    goal = 'held("box", "gripper")'
    book.annotation("grasp", 1 * S, {**known, "goal": goal, "phase": "begin"})
    book.annotation("grasp", 2 * S, {"task": "grasp.5", "status": "cancelled", "phase": "end"})
    (task,) = book.tasks(9 * S)
    assert (task.id, task.operation, task.status) == ("grasp.5", "grasp", "cancelled")
    assert (task.parent, task.after, task.goal) == ("serve.1", ("reach.1",), goal)
    assert task.variables == {"hand": "gripper"}


def test_the_goal_of_fingers_is_none_of_a_task() -> None:
    book = TaskBook()
    book.annotation("move_hand", 1 * S, {"task": "m.1", "goal": "closed", "phase": "begin"})
    book.annotation("move_hand", 2 * S, {"goal": "closed", "phase": "begin"})
    assert [task.goal for task in book.tasks(9 * S)] == ["", ""]


def test_other_annotations_are_tasks_if_they_begin() -> None:
    book = TaskBook()
    book.message(_message(0, "reach.1", "active", operation="reach"))
    for time, phase, robot in ((1, "begin", "a"), (2, "begin", "b"), (3, "end", "a")):
        book.annotation("reach", time * S, {"robot": robot, "phase": phase})
    book.annotation("look", 3 * S, {"phase": "instant"})
    book.annotation("look", 4 * S, {"phase": "end"})
    told = [(task.id, task.status, task.span) for task in book.tasks(9 * S)]
    assert told == [
        ("reach.1", "active", (0, 9 * S)),
        ("reach.2", "done", (1 * S, 3 * S)),
        ("reach.3", "active", (2 * S, 9 * S)),
    ]


def test_a_status_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="finished"):
        TaskBook().message(_message(1, "place.1", "finished"))


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ("succeeded", "done"),
        ("aborted", "failed"),
        ("canceled", "cancelled"),
        ("failure", "failed"),
    ],
)
def test_the_end_of_a_goal_has_its_result_and_belongs_to_its_beginning(
    result: str, status: str
) -> None:
    book = TaskBook()
    goals = [{"action": "/arm/move", "goal_id": name} for name in ("0101", "0202")]
    for time, goal in enumerate(goals):
        book.annotation("move", time * S, {**goal, "phase": "begin"})
    book.annotation("move", 3 * S, {**goals[0], "result": result, "phase": "end"})
    assert [task.status for task in book.tasks(9 * S)] == [status, "active"]
