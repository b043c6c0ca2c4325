"""Triggers, checked and compiled from a scenario."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import NUMBERS, all_evaluators, is_function
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.triggers.schema import (
    DoCommand,
    DoHandOver,
    DoRaise,
    Effect,
    On,
    OnEvent,
    TriggerEntry,
)


def find_cycle(leads_to: Mapping[str, Sequence[str]]) -> list[str]:
    """A cycle in a graph, with its first node repeated at the end; empty if there is none.

    Takes linear time and no recursion.

    Args:
        leads_to: node -> its successors, all of them nodes of the graph.
    """
    finished: set[str] = set()
    for start in leads_to:
        path: dict[str, Iterator[str]] = {start: iter(leads_to[start])}
        while path:
            node, successors = next(reversed(path.items()))
            other = next((n for n in successors if n not in finished), None)
            if other is None:
                finished.add(node)
                del path[node]
            elif other in path:
                names = list(path)
                return [*names[names.index(other) :], other]
            else:
                path[other] = iter(leads_to[other])
    return []


@dataclass(frozen=True, slots=True)
class Trigger:
    """One trigger, ready to be run.

    Attributes:
        name: as in the scenario.
        on: the cause that wakes it.
        while_phase: whether its condition is evaluated again at every step of the operation.
        let: variables and their expressions, in order.
        condition: precondition; None always holds.
        effects: as written; `arguments` holds the expressions in them.
        arguments: text after $ -> expression.
        evaluators: the scenario's named expressions that this trigger can use.
        needs: expression -> names that it uses directly or through evaluators.
    """

    name: str
    on: On
    while_phase: bool
    let: tuple[tuple[str, Expression], ...]
    condition: Expression | None
    effects: tuple[Effect, ...]
    arguments: Mapping[str, Expression]
    evaluators: Mapping[str, Expression]
    needs: Mapping[Expression, frozenset[str]]


def compile_evaluators(
    texts: Mapping[str, str], functions: Collection[str]
) -> dict[str, Expression]:
    """Compile a scenario's evaluators, without those that are functions.

    Args:
        texts: all evaluators, by name.
        functions: names of the functions that expressions may call.

    Raises:
        BadInput: on wrong syntax, a name of a built-in, or evaluators that use each other in a cycle.
    """
    built_in = all_evaluators()
    for name in texts:
        if name in built_in and name not in NUMBERS:
            raise BadInput(
                "an evaluator of this name exists already",
                where=f"evaluators.{name}",
                found=name,
                expected="another name",
            )
    compiled = {n: Expression(t, f"evaluators.{n}") for n, t in texts.items() if not is_function(t)}
    cycle = find_cycle({n: sorted(e.variables & set(compiled)) for n, e in compiled.items()})
    if cycle:
        raise BadInput(
            "evaluators use each other in a cycle",
            where=f"evaluators.{cycle[0]}",
            found=" -> ".join(cycle),
            expected="evaluators that do not depend on themselves",
        )
    for expression in compiled.values():
        expression.check_names(functions, expression.variables)
    return compiled


def compile_triggers(
    entries: list[TriggerEntry],
    evaluators: Mapping[str, Expression],
    functions: Collection[str],
    models: Collection[str],
) -> tuple[Trigger, ...]:
    """Compile and check a scenario's triggers.

    Args:
        entries: the triggers as written.
        evaluators: the scenario's named expressions.
        functions: names of the functions that expressions may call.
        models: names of the models.

    Raises:
        BadInput: on unknown names, wrong syntax, or triggers that raise each other in a cycle.
    """
    names: set[str] = set()
    compiled = []
    for index, entry in enumerate(entries):
        where = f"triggers.{index}"
        if entry.name in names:
            raise BadInput(
                "two triggers have this name",
                where=f"{where}.name",
                found=entry.name,
                expected="another name",
            )
        names.add(entry.name)
        compiled.append(_compile(entry, where, evaluators, functions, models))
    _check_acyclic(entries)
    return tuple(compiled)


def _compile(
    entry: TriggerEntry,
    where: str,
    evaluators: Mapping[str, Expression],
    functions: Collection[str],
    models: Collection[str],
) -> Trigger:
    known = {"event"}
    let = []
    for name, text in entry.let.items():
        expression = Expression(text, f"{where}.let.{name}")
        _check(expression, known, evaluators, functions)
        let.append((name, expression))
        known.add(name)
    condition = Expression(entry.if_, f"{where}.if") if entry.if_ is not None else None
    if condition is not None:
        _check(condition, known, evaluators, functions)
    arguments: dict[str, Expression] = {}
    for number, effect in enumerate(entry.do):
        key = f"{where}.do.{number}"
        for text in _dollar_texts(effect.model_dump()):
            arguments[text] = Expression(text, key)
            _check(arguments[text], known, evaluators, functions)
        _check_model(effect, key, models)
    conditions = () if condition is None else (condition, *condition.parts)
    expressions = (*dict(let).values(), *arguments.values(), *conditions)
    return Trigger(
        entry.name,
        entry.on,
        entry.while_ == "phase",
        tuple(let),
        condition,
        tuple(entry.do),
        arguments,
        evaluators,
        {item: _names_in(item, evaluators) for item in expressions},
    )


def _names_in(expression: Expression, evaluators: Mapping[str, Expression]) -> frozenset[str]:
    inner = (evaluators[name] for name in expression.variables & evaluators.keys())
    return expression.variables.union(*(_names_in(item, evaluators) for item in inner))


def _check(
    expression: Expression,
    known: Collection[str],
    evaluators: Mapping[str, Expression],
    functions: Collection[str],
) -> None:
    """Raise BadInput if a name is unknown in the expression or in the evaluators that it uses."""
    expression.check_names(functions, {*known, *evaluators})
    for evaluator in sorted(expression.variables & set(evaluators)):
        inner = evaluators[evaluator]
        missing = inner.variables - set(known) - set(evaluators)
        if missing:
            raise BadInput(
                f"the evaluator {evaluator!r} needs the variable {sorted(missing)[0]!r}",
                where=expression.where,
                found=inner.text,
                expected="let to bind it first; bound here: " + ", ".join(sorted(known)),
            )


def _dollar_texts(data: Any) -> list[str]:
    if isinstance(data, str):
        return [data[1:]] if data.startswith("$") else []
    if isinstance(data, dict):
        return [text for value in data.values() for text in _dollar_texts(value)]
    if isinstance(data, list):
        return [text for value in data for text in _dollar_texts(value)]
    return []


def _check_model(effect: Effect, where: str, models: Collection[str]) -> None:
    if isinstance(effect, DoHandOver):
        name, key = effect.hand_over.to, "hand_over.to"
    elif isinstance(effect, DoCommand):
        name, key = effect.command.model, "command.model"
    else:
        return
    if not name.startswith("$") and name not in models:
        raise BadInput(
            "there is no such model",
            where=f"{where}.{key}",
            found=name,
            expected=one_of(name, sorted(models)),
        )


def _check_acyclic(triggers: list[TriggerEntry]) -> None:
    """Raise BadInput if triggers would wake each other endlessly."""
    wakes = {
        t.name: [
            other.name
            for effect in t.do
            if isinstance(effect, DoRaise)
            for other in triggers
            if _wakes(t.name, effect.raise_.event, other)
        ]
        for t in triggers
    }
    cycle = find_cycle(wakes)
    if cycle:
        index = next(i for i, t in enumerate(triggers) if t.name == cycle[0])
        raise BadInput(
            "triggers raise each other in a loop",
            where=f"triggers.{index}.do",
            found=" -> ".join(cycle),
            expected="a chain of triggers that ends",
        )


def _wakes(source: str, event: str, other: TriggerEntry) -> bool:
    return isinstance(other.on, OnEvent) and other.on.event in (event, f"{source}.{event}")
