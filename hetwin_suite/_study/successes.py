"""Rows of a table of successes: action, arguments, and how probable it is that the action succeeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.validation import Strict, check

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
        low: of its interval at 95 %.
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
        """Return it as JSON has it."""
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
