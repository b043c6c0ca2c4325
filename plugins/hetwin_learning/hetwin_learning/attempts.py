"""The attempted actions of an episode, and whether they succeeded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hetwin_suite.episode import LabelledRecording
from hetwin_suite.model import Json

FAILED_OPERATION = "failed"
"""Key in the truth of a failed episode for the operation that failed."""


class Attempt(NamedTuple):
    """An attempted action.

    Attributes:
        action: operation of the action.
        arguments: arguments given by the robot's program.
        entities: keys of the arguments that name entities.
        measured: quantities measured at its start, and numeric arguments.
        succeeded: whether it succeeded.
    """

    action: str
    arguments: dict[str, Json]
    entities: tuple[str, ...]
    measured: dict[str, float]
    succeeded: bool

    @property
    def inputs(self) -> Mapping[str, Json]:
        """Arguments and measurements, all known at its start."""
        return {**self.arguments, **self.measured}


def attempts_in(episode: LabelledRecording, actions: Sequence[dict[str, Any]]) -> list[Attempt]:
    """Return the attempted actions of an episode.

    In a successful episode all actions succeeded. In a failed one, those before the failed operation succeeded, that
    operation failed, and later ones are left out. If the truth does not name the operation, all actions failed.

    Args:
        episode: the episode with its truth.
        actions: its actions in order, as recorded by `ActionWatch`.
    """
    succeeded, failed_operation = episode.label(), episode.truth.get(FAILED_OPERATION)
    attempts: list[Attempt] = []
    if succeeded or not any(row["action"] == failed_operation for row in actions):
        return [_attempt(row, succeeded) for row in actions]
    for row in actions:
        failed = row["action"] == failed_operation
        attempts.append(_attempt(row, not failed))
        if failed:
            return attempts
    return attempts


def _attempt(row: dict[str, Any], succeeded: bool) -> Attempt:
    numbers = {
        key: float(value)
        for key, value in row["arguments"].items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    arguments = {key: value for key, value in row["arguments"].items() if key not in numbers}
    measured = {**numbers, **row["measured"]}
    return Attempt(row["action"], arguments, tuple(row["entities"]), measured, succeeded)
