"""The approaches that the first paper compares, and how a run's end becomes a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hetwin_core.ensemble.errors import BadInput


@dataclass(frozen=True, slots=True)
class Task:
    """What an episode is about.

    Attributes:
        scenario: name of the scenario of our approach; the baselines' names end with the approach.
        predicate: begins the predicates of which one must hold at the end.
        paper: the paper's Table 2: approach -> (right, of) for successful and failed executions; None for n/a.
    """

    scenario: str
    predicate: str
    paper: Mapping[str, tuple[tuple[int, int] | None, tuple[int, int] | None]]


class Contacts(StrEnum):
    """Contact settings of the physics engine, the same for all approaches."""

    MANIPULATION = "manipulation"
    """hetwin's own, under which a simulated hand holds what it grasps."""
    PLAIN = "plain"
    """The engine's, when nothing is set."""


APPROACHES = ("ensemble", "single", "rigid", "force", "rule")
RULE = "rule"
TASKS = {
    task.scenario: task
    for task in (
        Task(
            "uncertain_environment",
            "in_container(ball,",
            {
                "ensemble": ((4, 5), (5, 5)),
                "single": ((0, 5), None),
                "rigid": ((2, 5), (5, 5)),
                "force": ((0, 5), None),
            },
        ),
        Task(
            "insertion",
            "connected(dip,",
            {
                "ensemble": ((3, 5), None),
                "single": ((0, 5), None),
                "rigid": ((0, 5), None),
                "force": ((0, 5), None),
            },
        ),
    )
}


def task_of(scenario: str) -> Task:
    """The task of an episode's scenario.

    Raises:
        BadInput: if there is none.
    """
    if scenario not in TASKS:
        raise BadInput("no such task", found=scenario, expected="one of " + ", ".join(TASKS))
    return TASKS[scenario]


def scenario_name(task: Task, approach: str) -> str:
    """Name of the scenario that plays a task in an approach."""
    return task.scenario if approach == "ensemble" else f"{task.scenario}_{approach}"


def says_success(task: Task, state: Mapping[str, Any]) -> bool:
    """Whether the predicates at the end of a run say that the action worked."""
    return any(name.startswith(task.predicate) and bool(v) for name, v in state.items())
