"""Which actions of an episode succeeded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from hetwin_suite.episode import Labelled
from hetwin_suite.model import Json

FAILED = "failed"
"""Key of the truth: the operation in which a failed episode went wrong."""


class Tried(NamedTuple):
    """An action that was tried.

    Attributes:
        action: its operation.
        arguments: what the robot's program says of it.
        entities: keys of those arguments that name entities.
        measured: numbers that were measured when it began, and arguments that are numbers.
        succeeded: whether it did.
    """

    action: str
    arguments: dict[str, Json]
    entities: tuple[str, ...]
    measured: dict[str, float]
    succeeded: bool

    @property
    def known(self) -> Mapping[str, Json]:
        """All that is known of it when it begins."""
        return {**self.arguments, **self.measured}


def tried_in(episode: Labelled, actions: Sequence[dict[str, Any]]) -> list[Tried]:
    """Return the actions of an episode that were tried.

    All of an episode that succeeded did. Of one that failed, those before the one in which it went wrong did, that one
    did not, and later ones do not count. Where the truth does not say which it was, all failed.

    Args:
        episode: whose truth is asked.
        actions: in order, as `ActionWatch` has seen them.
    """
    succeeded, wrong = episode.label(), episode.truth.get(FAILED)
    found: list[Tried] = []
    if succeeded or not any(row["action"] == wrong for row in actions):
        return [_tried(row, succeeded) for row in actions]
    for row in actions:
        failed = row["action"] == wrong
        found.append(_tried(row, not failed))
        if failed:
            return found
    return found


def _tried(row: dict[str, Any], succeeded: bool) -> Tried:
    numbers = {
        key: float(value)
        for key, value in row["arguments"].items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    arguments = {key: value for key, value in row["arguments"].items() if key not in numbers}
    measured = {**numbers, **row["measured"]}
    return Tried(row["action"], arguments, tuple(row["entities"]), measured, succeeded)
