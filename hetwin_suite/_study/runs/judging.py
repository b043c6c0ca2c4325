"""Judges the episode of a run: which outcomes came about, what it is worth, and which flaws it has."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import NamedTuple

from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.flaws.find import flaws_in
from hetwin_core.episodes.tables.open import RunTables
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite._study.drawing.draw import Draw
from hetwin_suite._study.runs.run_result import RunResult, failed
from hetwin_suite._study.runs.seen import actions_after, events_since, paths_since

KEY = "outcomes"


def result_of(
    draw: Draw,
    summary: RunSummary,
    tables: RunTables,
    outcomes: Mapping[str, str],
    at_ns: int = 0,
    utility: str | None = None,
    *,
    with_flaws: bool = False,
) -> RunResult:
    """Return what came of a run that is over.

    Args:
        draw: what it differed in.
        summary: of it.
        tables: of the whole run, from its start.
        outcomes: name -> question.
        at_ns: the moment from which on it was a future; 0: its start.
        utility: question whose answer is its value; None: whether all outcomes came about.
        with_flaws: whether its flaws are looked for.
    """
    if summary.error is not None:
        return failed(draw, failure_row_words(summary.error), summary.digest)
    found = tables.tables()
    judged = judged_tables(found, outcomes)
    flaws = dict.fromkeys(flaw.kind for flaw in flaws_in(found)) if with_flaws else ()
    return RunResult(
        index=draw.index,
        end_ns=found.known_until_ns,
        digest=summary.digest,
        state={name: bool(value) for name, value in summary.state.items()},
        outcomes=judged,
        flaws=tuple(flaws),
        value=valued_tables(found, judged, utility),
        events=events_since(found, at_ns),
        actions=actions_after(found, at_ns, replaced=draw.replaces_source),
        inputs=draw.inputs,
        paths=paths_since(found, at_ns),
        reproducible=summary.deterministic,
    )


def judged_tables(tables: Tables, outcomes: Mapping[str, str]) -> dict[str, bool | None]:
    """Return which outcomes came about in an episode; None if it does not say.

    Args:
        tables: of the episode, which is over.
        outcomes: name -> question.
    """
    asked = AskedTables(tables)
    return {name: _truth(asked, question) for name, question in outcomes.items()}


def valued_tables(
    tables: Tables, judged: Mapping[str, bool | None], utility: str | None
) -> float | None:
    """Return what an episode is worth; None if it does not say.

    Args:
        tables: of the episode, which is over.
        judged: its outcomes.
        utility: a question whose answer is a number; None: 1 if all outcomes came about, else 0.
    """
    if utility is None:
        return float(all(value is True for value in judged.values()))
    try:
        value = AskedTables(tables).ask(utility).value
    except BadInput:
        return None
    return float(value) if isinstance(value, bool | int | float) else None


def _truth(tables: AskedTables, question: str) -> bool | None:
    """Return the answer to a question that was checked; it may ask for an event that has never happened."""
    try:
        value = tables.ask(question).value
    except BadInput:
        return None
    return value if isinstance(value, bool) else None


def check_outcomes(scenario: Scenario, tables: Tables) -> None:
    """Check the outcomes of a scenario on a run that has just begun.

    Raises:
        BadInput: if one is no question, names what is not there, or is neither true nor false; with file, line and key.
    """
    for name, question in scenario.file.outcomes.items():
        try:
            _check(scenario, tables, question, f"{KEY}.{name}", _TRUTH)
        except BadInput as error:
            raise scenario.placed(error) from None


def check_utility(scenario: Scenario, tables: Tables, question: str, where: str) -> None:
    """Check a question about what an episode is worth, on one that goes on.

    Raises:
        BadInput: if it is no question, names what is not there, or its answer is no number.
    """
    _check(scenario, tables, question, where, _NUMBER)


class _Kind(NamedTuple):
    """What the answer to a question is to be."""

    types: type | UnionType
    problem: str
    expected: str


_TRUTH = _Kind(
    bool | None,
    "an outcome is true or false",
    'a question such as holds(on("box", "tray"), at(end))',
)
_NUMBER = _Kind(
    bool | int | float | None,
    "a utility is a number",
    'a question such as count(in_container("ball", any))',
)


def _check(scenario: Scenario, tables: Tables, question: str, where: str, kind: _Kind) -> None:
    """Check a question on an episode that goes on.

    Raises:
        BadInput: if it is none, names what is not there, or has an answer of another kind.
    """
    told = {name for plan in scenario.models for name in plan.cls.raises}
    try:
        value = AskedTables(tables).ask(question).value
    except BadInput as error:
        if Expression(question).functions & told:
            return  # it asks for an event that a model will tell
        found = error.found or question
        raise BadInput(error.problem, where=where, found=found, expected=error.expected) from None
    if not isinstance(value, kind.types):
        raise BadInput(kind.problem, where=where, found=value, expected=kind.expected)
