"""Terms and times that the functions of a question make, each with the rows that it was made from."""

from __future__ import annotations

from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.evidence import Evidence
from hetwin_core.episodes.asking.terms import Term, Variable
from hetwin_core.episodes.asking.times import When


@dataclass(frozen=True, slots=True)
class Made:
    """A term or a time.

    Attributes:
        thing: the term or the time.
        rows: that it was made from.
    """

    thing: Term | When
    rows: tuple[Evidence, ...] = ()


def bare(value: object) -> object:
    """Return a term or a time without its rows; any other value as it is."""
    return value.thing if isinstance(value, Made) else value


def rows_of(*values: object) -> tuple[Evidence, ...]:
    """Return the rows that values were made from."""
    return tuple(row for value in values if isinstance(value, Made) for row in value.rows)


def check_value(value: object) -> None:
    """See that a value says something by itself, as truths, numbers, texts, lists and maps do.

    Raises:
        BadInput: if it is a term or a time.
    """
    if isinstance(value, Made | Variable):
        term = (
            value.thing if isinstance(value, Made) and isinstance(value.thing, Term) else "on(...)"
        )
        raise BadInput(
            "a fluent is neither true nor false by itself",
            expected=f"holds({term}, at(...)), or during or throughout in place of at",
        )
