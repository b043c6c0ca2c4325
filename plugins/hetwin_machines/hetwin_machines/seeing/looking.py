"""Looks at the arcs of a machine: the value of each guard, and of what an arc would set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hetwin_machines.expressions.evaluation import evaluate
from hetwin_machines.expressions.operations import Failed, Value
from hetwin_machines.network import Arc, Expression
from hetwin_suite.expressions import Literal, names_of, text_of


@dataclass(frozen=True, slots=True)
class Look:
    """What an expression comes to.

    Attributes:
        text: of the expression.
        value: of it; None if it has none.
        problem: why it has none, in words; empty if it has one.
        signals: values of the signals that it names; None for one that was never set.
    """

    text: str
    value: Value | None
    problem: str
    signals: Mapping[str, Value | None]


def look(expression: Expression, signals: Mapping[str, Value], *, truth: bool = False) -> Look:
    """Return what an expression comes to.

    Args:
        expression: of an arc.
        signals: those that have a value.
        truth: whether it must be true or false.
    """
    names = dict.fromkeys(names_of(expression.node))
    values = {name: signals.get(name) for name in names}
    text = " ".join(expression.text.split())
    unset = [name for name, value in values.items() if value is None]
    if unset:
        return Look(text, None, f"{' and '.join(unset)} was never set", values)
    known = {name: signals[name] for name in names}
    try:
        return Look(text, evaluate(expression.text, known, truth=truth), "", values)
    except Failed as failed:
        return Look(text, None, str(failed), values)


def guards(arcs: tuple[Arc, ...], signals: Mapping[str, Value]) -> list[Look]:
    """Return what the guards of a state come to, in the order of its arcs."""
    return [look(arc.guard, signals, truth=True) for arc in arcs]


def firing(looks: list[Look]) -> list[int]:
    """Return the indices of the guards that hold; none if one has no value."""
    if any(each.problem for each in looks):
        return []
    return [index for index, each in enumerate(looks) if each.value is True]


def in_words(value: Value | None) -> str:
    """Return a value as a network's file has it; what was never set is null."""
    return text_of(Literal(value))
