"""Evaluate guards and assignments of arcs, with the reason if one has no value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetwin_machines.expressions.evaluation import evaluate
from hetwin_machines.expressions.operations import Failed, Value
from hetwin_machines.network import Arc, Expression
from hetwin_suite.expressions import Literal, names_of, text_of


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of evaluating an expression.

    Attributes:
        text: text of the expression.
        value: its value; None if it has none.
        problem: why it has no value; empty if it has one.
        signals: values of the signals that occur in it; None for signals that were never set.
    """

    text: str
    value: Value | None
    problem: str
    signals: Mapping[str, Value | None]


def evaluate_expression(
    expression: Expression, signals: Mapping[str, Value], *, truth: bool = False
) -> Evaluation:
    """Evaluate an expression.

    Args:
        expression: guard or assignment of an arc.
        signals: signals that have a value.
        truth: whether the result must be true or false.
    """
    names = dict.fromkeys(names_of(expression.node))
    values = {name: signals.get(name) for name in names}
    text = " ".join(expression.text.split())
    unset = [name for name, value in values.items() if value is None]
    if unset:
        return Evaluation(text, None, f"{' and '.join(unset)} was never set", values)
    known = {name: signals[name] for name in names}
    try:
        return Evaluation(text, evaluate(expression.text, known, truth=truth), "", values)
    except Failed as error:
        return Evaluation(text, None, str(error), values)


def evaluate_guards(arcs: tuple[Arc, ...], signals: Mapping[str, Value]) -> list[Evaluation]:
    """Evaluate the guards of a state, in the order of its arcs."""
    return [evaluate_expression(arc.guard, signals, truth=True) for arc in arcs]


def firing_arcs(evaluations: list[Evaluation]) -> list[int]:
    """Return the indices of the guards that are true; empty if one of the guards has no value."""
    if any(evaluation.problem for evaluation in evaluations):
        return []
    return [index for index, evaluation in enumerate(evaluations) if evaluation.value is True]


def value_text(value: Value | None) -> str:
    """Return a value as it is written in the file of a network; null if it was never set."""
    return text_of(Literal(value))
