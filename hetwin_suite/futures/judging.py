"""Judges the episode of a run: which outcomes came about, and which flaws it has."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.projection.asking.asked import AskedTables
from hetwin_core.projection.flaws.find import flaws_in
from hetwin_core.projection.tables.open import Follower
from hetwin_core.projection.tables.tables import Tables

KEY = "outcomes"


def judged(
    run: Path, outcomes: Mapping[str, str]
) -> tuple[dict[str, bool | None], tuple[str, ...]]:
    """Return which outcomes came about in a run that is over, and the kinds of its flaws.

    Args:
        run: its folder.
        outcomes: name -> question.

    Raises:
        BadInput: if the log cannot be read.
    """
    tables = Follower(run).poll()
    kinds = dict.fromkeys(flaw.kind for flaw in flaws_in(tables))
    return judged_tables(tables, outcomes), tuple(kinds)


def judged_tables(tables: Tables, outcomes: Mapping[str, str]) -> dict[str, bool | None]:
    """Return which outcomes came about in an episode; None if it does not say.

    Args:
        tables: of the episode, which is over.
        outcomes: name -> question.
    """
    asked = AskedTables(tables)
    return {name: _truth(asked, question) for name, question in outcomes.items()}


def _truth(tables: AskedTables, question: str) -> bool | None:
    """Return the answer to a question that was checked; it may ask for an event that has never happened."""
    try:
        value = tables.ask(question).value
    except BadInput:
        return None
    return value if isinstance(value, bool) else None


def check_outcomes(scenario: Scenario, run: Path) -> None:
    """Check the outcomes of a scenario on a run that has just begun.

    Raises:
        BadInput: if one is no question, names what is not there, or is neither true nor false; with file, line and key.
    """
    tables = AskedTables(Follower(run).poll())
    told = {name for plan in scenario.models for name in plan.description.raises}
    for name, question in scenario.file.outcomes.items():
        try:
            _check(tables, question, told)
        except BadInput as error:
            found = error.found or question
            placed = BadInput(
                error.problem, where=f"{KEY}.{name}", found=found, expected=error.expected
            )
            raise scenario.placed(placed) from None


def _check(tables: AskedTables, question: str, told: AbstractSet[str]) -> None:
    try:
        value = tables.ask(question).value
    except BadInput:
        if Expression(question).functions & told:
            return  # it asks for an event that a model will tell
        raise
    if not isinstance(value, bool | None):
        raise BadInput(
            "an outcome is true or false",
            found=value,
            expected='a question such as holds(on("box", "tray"), at(end))',
        )
