"""Explain the faults of machines in words, with the arcs and the values in their expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hetwin_machines.cycle import CONFLICT, INCOMPLETE, NON_DETERMINISTIC
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import TOP, Arc, Machine
from hetwin_machines.observation.evaluations import (
    Evaluation,
    evaluate_expression,
    evaluate_guards,
    firing_arcs,
    value_text,
)

Assignments = Mapping[str, Mapping[str, Value | None]]
"""Machine -> signal -> the value that the machine would set in a cycle."""


def fault_reason(
    machine: Machine,
    state: str,
    stack: Sequence[str],
    signals: Mapping[str, Value],
    fault: str,
    assignments: Assignments,
) -> str:
    """Return the reason for a fault of a machine.

    Args:
        machine: the machine.
        state: state before the fault.
        stack: stack before the fault; the last state is the top.
        signals: signals that had a value.
        fault: the fault.
        assignments: values that the machines would have set, to explain conflicts.
    """
    arcs = machine.states[state]
    evaluations = evaluate_guards(arcs, signals)
    fires = firing_arcs(evaluations)
    if fault == CONFLICT:
        return _conflict(machine.name, arcs, fires, assignments)
    if fault == NON_DETERMINISTIC:
        return f"{len(fires)} arcs of {state} fire at once: {_guards(evaluations, fires)}{_values(evaluations)}"
    if fault == INCOMPLETE and not fires:
        return f"no arc of {state} fires: {_guards(evaluations, range(len(evaluations)))}{_values(evaluations)}"
    index = fires[0] if fires else 0
    if fault == INCOMPLETE:
        return f"arc {index} of {state} {_stack_problem(arcs[index], stack)}"
    return _undefined(state, arcs, evaluations, fires, signals)


def _guards(evaluations: list[Evaluation], indices: Iterable[int]) -> str:
    return ", ".join(
        f"arc {i} if {evaluations[i].text} is {value_text(evaluations[i].value)}" for i in indices
    )


def _values(evaluations: Iterable[Evaluation]) -> str:
    values = {
        name: value for evaluation in evaluations for name, value in evaluation.signals.items()
    }
    return f" ({_pairs(values)})" if values else ""


def _pairs(values: Mapping[str, Value | None]) -> str:
    return ", ".join(f"{name} = {value_text(value)}" for name, value in values.items())


def _stack_problem(arc: Arc, stack: Sequence[str]) -> str:
    holds = f"holds {', '.join(stack)}" if stack else "is empty"
    takes = [f"pops {arc.pop}"] if arc.pop else []
    takes += [f"pushes {', '.join(arc.push)}"] if arc.push else []
    takes += [f"goes to {TOP}"] if arc.to == TOP else []
    return f"{' and '.join(takes)}, but the stack {holds}"


def _undefined(
    state: str,
    arcs: tuple[Arc, ...],
    evaluations: list[Evaluation],
    fires: list[int],
    signals: Mapping[str, Value],
) -> str:
    for index, evaluation in enumerate(evaluations):
        if evaluation.problem:
            problem = f"if {evaluation.text} has no value: {evaluation.problem}"
            return f"arc {index} of {state}: {problem}{_values([evaluation])}"
    for index in fires:
        for name, expression in arcs[index].assignments.items():
            evaluation = evaluate_expression(expression, signals)
            if evaluation.problem:
                problem = f"do {name} = {evaluation.text} has no value: {evaluation.problem}"
                return f"arc {index} of {state}: {problem}{_values([evaluation])}"
    return f"an expression of {state} has no value"


def _conflict(name: str, arcs: tuple[Arc, ...], fires: list[int], assignments: Assignments) -> str:
    conflicts = []
    for signal, value in assignments[name].items():
        others = " and ".join(
            f"{machine} sets it to {value_text(values[signal])}"
            for machine, values in assignments.items()
            if signal in values and not _same(values[signal], value)
        )
        if others:
            conflicts.append(f"it sets {signal} to {value_text(value)}, {others}")
    return f"arc {fires[0]} to {arcs[fires[0]].to}: {'; '.join(conflicts)}"


def _same(first: Value | None, second: Value | None) -> bool:
    return first == second and isinstance(first, bool) is isinstance(second, bool)
