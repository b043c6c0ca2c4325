"""How often actions succeed, from episodes: what a hand that does not get hold of a thing does, no simulation knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

from pydantic import Field

from hetwin_futures.intervals import SURE, Chance, product
from hetwin_suite.model import BadInput, Json, Strict, check, read_json

Arguments: TypeAlias = Mapping[str, Json]


class Prior(Strict):
    """What is known of an action before it was ever tried.

    Attributes:
        source: entities from whose episodes it comes, `from` in a file.
        weight: as how many episodes it counts.
    """

    source: list[str] = Field(alias="from")
    weight: float


class Row(Strict):
    """How probable it is that an action succeeds.

    Attributes:
        action: its operation.
        arguments: of it; of what is measured, the range ``{above, at_most}`` that the value is in.
        of: how often it was tried.
        succeeded: how often it succeeded.
        p: probability that it does.
        low: low of its interval at 95 %.
        high: of it.
        prior: what is known without these.
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
    """Read what `hetwin learn success --json` has printed.

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
    """Return the row of an action with these arguments, what was measured included; None if there is none."""
    return next(
        (row for row in rows if row.action == action and fits(row.arguments, arguments)), None
    )


def fits(pattern: Arguments, arguments: Arguments) -> bool:
    """Whether arguments are those of a pattern, or in its ranges."""
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
    """The rows of a table of successes that say what futures do not.

    Args:
        rows: rows of actions that have failed, none of whose rows depends on where something is: that, futures know.
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
