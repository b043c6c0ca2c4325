"""Finds the flaws of an episode by rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.episodes.asking.answer import Evidence
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.flaws.flaw import Cause, Facts, Flaw, because, linked
from hetwin_core.episodes.flaws.functions import Findings
from hetwin_core.episodes.flaws.rule import Rule, all_rules
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables

Functions = Mapping[str, Callable[..., Any]]


def find_flaws(questions: Questions, rules: Sequence[Rule]) -> list[Flaw]:
    """Return the flaws of an episode in chronological order, each with its causes.

    Args:
        questions: questions to the episode.
        rules: in any order.

    Raises:
        BadInput: if a rule names something unknown, or yields invalid values; the file and the key are named.
    """
    facts = Facts(questions.tables, questions.expectations)
    functions = Findings(facts, questions).functions()
    for rule in rules:
        rule.check_names(sorted(functions))
    flaws = [flaw for rule in rules for flaw in _found(rule, functions)]
    ordered = linked(flaws, facts)
    return [replace(flaw, text=because(flaw, ordered)) for flaw in ordered]


def _found(rule: Rule, functions: Functions) -> Iterator[Flaw]:
    try:
        for variables in _bindings(rule, list(rule.each.items()), {}, functions):
            if all(query.evaluate(variables, functions) is True for query in rule.conditions):
                yield _flaw(rule, variables, functions)
    except EvaluationError as error:
        raise BadInput(
            f"a query of the rule {rule.kind} has no value: {error}",
            file=rule.file,
            expected="a query whose arguments have the expected types; has(x.y) checks whether x has y",
        ) from None


def _bindings(
    rule: Rule,
    each: Sequence[tuple[str, Expression]],
    variables: dict[str, Any],
    functions: Functions,
) -> Iterator[dict[str, Any]]:
    if not each:
        yield variables
        return
    (name, query), *others = each
    values = query.evaluate(variables, functions)
    if not isinstance(values, list | tuple):
        raise BadInput(
            "a variable of a rule runs over a list",
            file=rule.file,
            where=query.where,
            found=query.text,
            expected="a query that yields a list",
        )
    for value in values:
        yield from _bindings(rule, others, {**variables, name: value}, functions)


def _flaw(rule: Rule, variables: Mapping[str, Any], functions: Functions) -> Flaw:
    def value_of(query: Expression | None) -> Any:
        return None if query is None else query.evaluate(variables, functions)

    entities = [str(name) for name in value_of(rule.entities) if name]
    begin, end = (_time(rule, query, value_of(query)) for query in (rule.begin, rule.end))
    since = begin if rule.since is None else _time(rule, rule.since, value_of(rule.since))
    return Flaw(
        kind=rule.kind,
        span=Interval(begin, max(begin, end)),
        entities=tuple(dict.fromkeys(entities)),
        task=value_of(rule.task) or None,
        text=rule.sentence.fill(variables, functions),
        caused_by=tuple(
            Cause("event", str(row["what"]), _span(row)) for row in value_of(rule.causes) or ()
        ),
        evidence=tuple(
            Evidence(str(row["table"]), int(row["row"]), _span(row))
            for row in value_of(rule.evidence) or ()
        ),
        trace=frozenset(map(str, value_of(rule.trace) or ())),
        since_ns=min(begin, since),
    )


def _time(rule: Rule, query: Expression, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadInput(
            "the time of a flaw must be a number in s",
            file=rule.file,
            where=query.where,
            found=value,
            expected="a number",
        )
    return round(value * 1e9)


def _span(row: Mapping[str, Any]) -> Interval:
    return Interval(round(row["from"] * 1e9), round(row["to"] * 1e9))


def flaws_in(tables: Tables) -> list[Flaw]:
    """Return the flaws of an episode by start time.

    Raises:
        BadInput: if a rule cannot be used.
    """
    return find_flaws(AskedTables(tables), all_rules())


def flaws_of(run: Path) -> list[Flaw]:
    """Return the flaws of the episode in the folder of a run, by start time.

    Raises:
        BadInput: if there is no episode, or a rule cannot be used.
    """
    return flaws_in(open_tables(run))
