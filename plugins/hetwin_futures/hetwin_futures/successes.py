"""Success rates of actions, learned from episodes; they cover failures that no simulation models, such as a slip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from pydantic import Field

from hetwin_futures.intervals import CERTAIN, Chance, product
from hetwin_suite.model import BadInput, Json, Strict, check, read_json

Arguments: TypeAlias = Mapping[str, Json]


class Prior(Strict):
    """The prior of a success rate.

    Attributes:
        source: entities whose episodes the prior is from, `from` in a file.
        weight: number of episodes that the prior counts for.
    """

    source: list[str] = Field(alias="from")
    weight: float


class Row(Strict):
    """The success rate of an action with given arguments.

    Attributes:
        action: operation of the action.
        arguments: arguments of the action; a measured quantity has the range ``{above, at_most}`` of its value.
        of: number of attempts.
        succeeded: number of successes.
        p: probability of success.
        low: lower bound of its 95 % interval.
        high: upper bound of its 95 % interval.
        prior: the prior without these attempts.
    """

    action: str
    arguments: dict[str, Any]
    of: int = Field(ge=0)
    succeeded: int = Field(ge=0)
    p: float = Field(ge=0, le=1)
    low: float
    high: float
    prior: Prior

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            key: round(value, 6) if isinstance(value, float) else value
            for key, value in self.model_dump(by_alias=True).items()
        }


class Table(Strict):
    """A file of rows."""

    rows: list[Row]


def read_rows(file: Path) -> list[Row]:
    """Read the JSON output of `hetwin learn success --json`.

    Raises:
        BadInput: if the file cannot be read, or is no such table.
    """
    expected = "what `hetwin learn success SCENARIO --episodes DIR --json` prints"
    try:
        data = read_json(file)
    except (OSError, ValueError) as error:
        raise BadInput(f"the file cannot be read: {error}", file=file, expected=expected) from None
    if not isinstance(data, dict):
        raise BadInput("this is no table", file=file, found=data, expected=expected)
    try:
        return check(Table, data).rows
    except BadInput as error:
        raise error.at(error.where, file) from None


def success_of(rows: Sequence[Row], action: str, arguments: Arguments) -> Row | None:
    """Return the row that fits an action with its arguments and measured quantities; None if there is none."""
    return next(
        (row for row in rows if row.action == action and fits(row.arguments, arguments)), None
    )


def fits(pattern: Arguments, arguments: Arguments) -> bool:
    """Whether arguments equal those of a pattern, or lie in its ranges."""
    return all(
        key in arguments and _fits_one(wanted, arguments[key]) for key, wanted in pattern.items()
    )


def _fits_one(wanted: Json, value: Json) -> bool:
    if not isinstance(wanted, Mapping) or not wanted.keys() <= {"above", "at_most"}:
        return bool(wanted == value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    above, at_most = (wanted.get(key) for key in ("above", "at_most"))
    is_above = not isinstance(above, int | float) or value > above
    return is_above and (not isinstance(at_most, int | float) or value <= at_most)


Action: TypeAlias = tuple[str, Mapping[str, Json]]
"""An operation and its arguments."""


@dataclass(frozen=True)
class Experience:
    """Success rates of actions for causes that the simulation does not model.

    Args:
        rows: rows of actions with failures; actions with a measured argument are excluded, as futures model those.
    """

    rows: Sequence[Row] = ()

    def of(self, action: Action) -> Row | None:
        """Return the row of an action; None if there is none."""
        return success_of(self.rows, *action)

    def lacks(self, actions: Iterable[Action]) -> list[str]:
        """Return the operations that have rows, but none with these arguments."""
        known = {row.action for row in self.rows}
        lacking = [
            action[0] for action in actions if action[0] in known and self.of(action) is None
        ]
        return list(dict.fromkeys(lacking))

    def rows_of(self, actions: Iterable[Action]) -> list[Row]:
        """Return the rows of actions."""
        found = (self.of(action) for action in actions)
        return [row for row in found if row is not None]

    def chance(self, futures: Sequence[Sequence[Action]]) -> Chance:
        """Return the probability that all actions succeed, as the mean over futures."""
        each = [product([_chance(row) for row in self.rows_of(future)]) for future in futures]
        if not each:
            return CERTAIN
        p, low, high = (fmean(column) for column in zip(*each, strict=True))
        return Chance(p, low, high)


NO_EXPERIENCE = Experience()


def read_experience(file: Path | None) -> Experience:
    """Read the output of ``hetwin learn success``; no experience without a file.

    Raises:
        BadInput: if the file cannot be read, or is no table of successes.
    """
    return NO_EXPERIENCE if file is None else Experience(_unforeseen(read_rows(file)))


def _unforeseen(rows: Sequence[Row]) -> list[Row]:
    failed = {row.action for row in rows if row.succeeded < row.of}
    foreseen = {row.action for row in rows if any(_is_measured(key) for key in row.arguments)}
    return [row for row in rows if row.action in failed - foreseen]


def _is_measured(key: str) -> bool:
    """Whether a key is a measured quantity, such as ``inside(container)``, and not an argument of the action."""
    return key.endswith(")")


def _chance(row: Row) -> Chance:
    return Chance(row.p, row.low, row.high)
