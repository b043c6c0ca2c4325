"""The approaches that Bauer et al. (2022) compare, and the verdict at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from hetwin_suite.command import BadInput, one_of


@dataclass(frozen=True, slots=True)
class Task:
    """The task of an episode.

    Attributes:
        scenario: scenario named in its episodes; scenarios of the baselines have the approach as suffix.
        ensemble: name of the scenario of our approach.
        predicate: prefix of predicates; at least one of them must hold at the end.
        paper: Table 2 of the paper: approach -> (right, of) for successful and failed executions; None for n/a.
    """

    scenario: str
    ensemble: str
    predicate: str
    paper: Mapping[str, tuple[tuple[int, int] | None, tuple[int, int] | None]]


class Contacts(StrEnum):
    """Contact settings of the physics engine, the same for all approaches."""

    MANIPULATION = "manipulation"
    """hetwin's defaults, tuned for grasps that hold."""
    PLAIN = "plain"
    """The engine's defaults."""


APPROACHES = ("ensemble", "single", "single_tuned", "rigid", "force", "rule", "kinematic")
"""The four of the paper; `single` tuned, with fingers driven by the recorded torques; and two rules without a twin."""
RULE, KINEMATIC = "rule", "kinematic"
RULES = (RULE, KINEMATIC)
"""Approaches that run no simulation."""
TASKS = {
    task.scenario: task
    for task in (
        Task(
            "uncertain_environment",
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
            "insertion_felt",
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
    """Return the task of an episode's scenario.

    Raises:
        BadInput: if no task has this scenario.
    """
    if scenario not in TASKS:
        raise BadInput("no such task", found=scenario, expected=one_of(scenario, TASKS))
    return TASKS[scenario]


def scenario_name(task: Task, approach: str) -> str:
    """Return the name of the scenario for a task and an approach."""
    return task.ensemble if approach == "ensemble" else f"{task.scenario}_{approach}"


def reports_success(task: Task, state: Mapping[str, Any]) -> bool:
    """Whether the task succeeded according to the predicates at the end of a run."""
    return any(name.startswith(task.predicate) and bool(v) for name, v in state.items())
