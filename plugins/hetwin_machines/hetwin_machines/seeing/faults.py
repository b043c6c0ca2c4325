"""Explain the faults of machines in words, with the arcs and the values in their expressions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hetwin_machines.cycle import CONFLICT, INCOMPLETE, NON_DETERMINISTIC
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import TOP, Arc, Machine
from hetwin_machines.seeing.looking import Look, firing, guards, in_words, look

Wanted = Mapping[str, Mapping[str, Value | None]]
"""Machine -> signal -> the value that the machine would set in a cycle."""


def why(
    machine: Machine,
    state: str,
    stack: Sequence[str],
    signals: Mapping[str, Value],
    fault: str,
    wanted: Wanted,
) -> str:
    """Return the reason for a fault of a machine.

    Args:
        machine: the machine.
        state: state before the fault.
        stack: stack before the fault; the last state is the top.
        signals: signals that had a value.
        fault: the fault.
        wanted: values that the machines would have set, to explain conflicts.
    """
    arcs = machine.states[state]
    looks = guards(arcs, signals)
    fires = firing(looks)
    if fault == CONFLICT:
        return _conflict(machine.name, arcs, fires, wanted)
    if fault == NON_DETERMINISTIC:
        return f"{len(fires)} arcs of {state} fire at once: {_guards(looks, fires)}{_values(looks)}"
    if fault == INCOMPLETE and not fires:
        return f"no arc of {state} fires: {_guards(looks, range(len(looks)))}{_values(looks)}"
    index = fires[0] if fires else 0
    if fault == INCOMPLETE:
        return f"arc {index} of {state} {_lack(arcs[index], stack)}"
    return _undefined(state, arcs, looks, fires, signals)


def _guards(looks: list[Look], indices: Iterable[int]) -> str:
    return ", ".join(f"arc {i} if {looks[i].text} is {in_words(looks[i].value)}" for i in indices)


def _values(looks: Iterable[Look]) -> str:
    values = {name: value for each in looks for name, value in each.signals.items()}
    return f" ({_pairs(values)})" if values else ""


def _pairs(values: Mapping[str, Value | None]) -> str:
    return ", ".join(f"{name} = {in_words(value)}" for name, value in values.items())


def _lack(arc: Arc, stack: Sequence[str]) -> str:
    holds = f"holds {', '.join(stack)}" if stack else "is empty"
    takes = [f"pops {arc.pop}"] if arc.pop else []
    takes += [f"pushes {', '.join(arc.push)}"] if arc.push else []
    takes += [f"goes to {TOP}"] if arc.to == TOP else []
    return f"{' and '.join(takes)}, but the stack {holds}"


def _undefined(
    state: str,
    arcs: tuple[Arc, ...],
    looks: list[Look],
    fires: list[int],
    signals: Mapping[str, Value],
) -> str:
    for index, each in enumerate(looks):
        if each.problem:
            return f"arc {index} of {state}: if {each.text} has no value: {each.problem}{_values([each])}"
    for index in fires:
        for name, expression in arcs[index].assignments.items():
            each = look(expression, signals)
            if each.problem:
                problem = f"do {name} = {each.text} has no value: {each.problem}"
                return f"arc {index} of {state}: {problem}{_values([each])}"
    return f"an expression of {state} has no value"


def _conflict(name: str, arcs: tuple[Arc, ...], fires: list[int], wanted: Wanted) -> str:
    conflicts = []
    for signal, value in wanted[name].items():
        others = " and ".join(
            f"{machine} sets it to {in_words(values[signal])}"
            for machine, values in wanted.items()
            if signal in values and not _same(values[signal], value)
        )
        if others:
            conflicts.append(f"it sets {signal} to {in_words(value)}, {others}")
    return f"arc {fires[0]} to {arcs[fires[0]].to}: {'; '.join(conflicts)}"


def _same(one: Value | None, two: Value | None) -> bool:
    return one == two and isinstance(one, bool) is isinstance(two, bool)
