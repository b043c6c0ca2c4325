"""What episodes say of actions whose failures no simulation knows, such as a hand that does not get hold of a thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from hetwin_core.ensemble.events import Json
from hetwin_suite._study.intervals import SURE, Chance, product
from hetwin_suite._study.successes import Row, read_rows, success_of

Action: TypeAlias = tuple[str, Mapping[str, Json]]
"""An operation and its arguments."""


@dataclass(frozen=True)
class Experience:
    """The rows of a table of successes that say what futures do not.

    Args:
        rows: of actions that have failed, none of whose rows depends on where something is: that, futures know.
    """

    rows: Sequence[Row] = ()

    def of(self, action: Action) -> Row | None:
        """Return the row of an action; None if there is none."""
        return success_of(self.rows, *action)

    def lacks(self, actions: Iterable[Action]) -> list[str]:
        """Return the operations of which there are rows, but none with these arguments."""
        known = {row.action for row in self.rows}
        lacking = [one[0] for one in actions if one[0] in known and self.of(one) is None]
        return list(dict.fromkeys(lacking))

    def rows_of(self, actions: Iterable[Action]) -> list[Row]:
        """Return the rows of actions."""
        found = (self.of(action) for action in actions)
        return [row for row in found if row is not None]

    def chance(self, futures: Sequence[Sequence[Action]]) -> Chance:
        """Return how probable it is that all actions succeed, as the mean over futures."""
        each = [product([_chance(row) for row in self.rows_of(one)]) for one in futures]
        if not each:
            return SURE
        p, low, high = (fmean(column) for column in zip(*each, strict=True))
        return Chance(p, low, high)


NO_EXPERIENCE = Experience()


def read_experience(file: Path | None) -> Experience:
    """Read what ``hetwin learn success`` has found; None: nothing.

    Raises:
        BadInput: if the file cannot be read, or is no such table.
    """
    return NO_EXPERIENCE if file is None else Experience(_unforeseen(read_rows(file)))


def _unforeseen(rows: Sequence[Row]) -> list[Row]:
    failed = {row.action for row in rows if row.succeeded < row.of}
    foreseen = {row.action for row in rows if any(_is_measured(key) for key in row.arguments)}
    return [row for row in rows if row.action in failed - foreseen]


def _is_measured(key: str) -> bool:
    """Whether a key is not one of the action's own arguments, such as ``inside(container)``."""
    return key.endswith(")")


def _chance(row: Row) -> Chance:
    return Chance(row.p, row.low, row.high)
