"""The first messages between the twin and the process of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetwin_core.ensemble.events import Json
from model_nodes.robot_program.facts import RobotFacts


@dataclass(frozen=True, slots=True)
class Start:
    """Which program is to run, and for which robot.

    Attributes:
        program: MODULE:FUNCTION.
        folder: where its module is looked for, after the installed ones; empty: nowhere else.
        arguments: of the function, beside the robot.
        robot: what it knows of its robot.
    """

    program: str
    folder: str
    arguments: Mapping[str, Json]
    robot: RobotFacts


@dataclass(frozen=True, slots=True)
class Ready:
    """The program is there, or why it cannot be used, and what would be right."""

    problem: str = ""
    expected: str = ""
