"""Composite states: rewrites a machine that works inside a state of another machine as two parallel machines.

The machines use the handshake of figure 3 in Machines 2026, 14(3), 273. The signal NAME_active is true while the outer
machine is in the composite state; NAME_ready is true while the inner machine is idle or in a sink. If the outer machine
leaves the composite state earlier, the inner machine stops immediately in the states of `gives_up`, and continues to a
sink in all other states.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import parse
from hetwin_machines.network import Arc, Expression, Machine

IDLE = "IDLE"
"""State in which an inner machine waits until the outer machine enters the composite state."""


@dataclass(frozen=True, slots=True)
class CompositeState:
    """The composite state in which an inner machine works.

    Attributes:
        machine: name of the outer machine.
        state: name of the composite state.
        gives_up: states in which the inner machine stops immediately when the outer one leaves the composite state.
    """

    machine: str
    state: str
    gives_up: frozenset[str]


def without_composite_states(
    machines: Sequence[Machine], inside: Mapping[str, CompositeState]
) -> tuple[Machine, ...]:
    """Return equivalent machines without composite states, in the same order.

    Args:
        machines: machines of the network.
        inside: inner machine -> its composite state.

    Raises:
        NetworkError: if a composite state does not exist or has two inner machines, or a machine is inside itself.
    """
    rewritten = {machine.name: machine for machine in machines}
    inner_machines: dict[tuple[str, str], str] = {}
    for name in _sorted_by_depth(inside):
        composite = inside[name]
        where = f"machines.{name}.in"
        outer = rewritten.get(composite.machine)
        if outer is None or composite.state not in outer.states:
            found = f"{composite.machine}.{composite.state}"
            raise NetworkError("there is no such state", where, found, "MACHINE.STATE")
        other = inner_machines.setdefault((composite.machine, composite.state), name)
        if other != name:
            raise NetworkError(f"{other} works in this state already", where, composite.state)
        rewritten[outer.name] = _outer(outer, composite.state, name)
        rewritten[name] = _inner(rewritten[name], composite.gives_up)
    return tuple(rewritten.values())


def _sorted_by_depth(inside: Mapping[str, CompositeState]) -> list[str]:
    """Return the names of inner machines; a nested machine follows the machine in which it works.

    Raises:
        NetworkError: if a machine is inside itself.
    """

    def depth(name: str) -> int:
        enclosing = [name]
        while enclosing[-1] in inside:
            enclosing.append(inside[enclosing[-1]].machine)
            if enclosing.count(enclosing[-1]) > 1:
                raise NetworkError("it works inside itself", f"machines.{name}.in", enclosing[-1])
        return len(enclosing)

    return sorted(inside, key=depth)


def _expression(text: str) -> Expression:
    return Expression(text, parse(text, ""))


def _arc(guard: str, to: str, **do: str) -> Arc:
    assignments = {name: _expression(text) for name, text in do.items()}
    return Arc(_expression(guard), assignments, 0, (), to)


def _with_assignment(arc: Arc, signal: str, text: str) -> Arc:
    return replace(arc, assignments={**arc.assignments, signal: _expression(text)})


def _outer(machine: Machine, state: str, inner: str) -> Machine:
    """Return the outer machine with arcs that start and stop the inner one."""
    active, call, enter = f"{inner}_active", f"CALL_{state}", f"ENTER_{state}"
    _check_unused(machine, call, enter)
    states: dict[str, tuple[Arc, ...]] = {}
    for name, arcs in machine.states.items():
        rewritten = []
        for arc in arcs:
            pushed = tuple(enter if each == state else each for each in arc.push)
            changed = replace(arc, push=pushed)
            if name == state and arc.to != state:
                changed = _with_assignment(changed, active, "false")
            elif name != state and arc.to == state:
                changed = _with_assignment(replace(changed, to=call), active, "true")
            rewritten.append(changed)
        states[name] = tuple(rewritten)
    states[call] = (_arc("true", state),)
    is_initial = machine.initial == state
    if is_initial or any(enter in arc.push for arcs in states.values() for arc in arcs):
        states[enter] = (_arc("true", call, **{active: "true"}),)
    return replace(
        machine,
        initial=enter if is_initial else machine.initial,
        init={**machine.init, active: False},
        states=states,
    )


def _inner(machine: Machine, gives_up: frozenset[str]) -> Machine:
    """Return the inner machine with its idle state, and with arcs for leaving the composite state."""
    active, ready = f"{machine.name}_active", f"{machine.name}_ready"
    _check_unused(machine, IDLE)
    for name in sorted(gives_up):
        if not machine.states.get(name):
            where = f"machines.{machine.name}.gives_up"
            raise NetworkError("there is no such state, or no arc leaves it", where, name)
    sinks = {name for name, arcs in machine.states.items() if not arcs}
    states: dict[str, tuple[Arc, ...]] = {
        IDLE: (_arc(active, machine.initial, **{ready: "false"}), _arc(f"!{active}", IDLE))
    }
    return_arc = replace(_arc(f"!{active}", IDLE, **{ready: "true"}), pop="all")
    for name, arcs in machine.states.items():
        if name in sinks:
            states[name] = (_arc(active, name, **{ready: "true"}), return_arc)
            continue
        rewritten = tuple(
            _with_assignment(arc, ready, "true") if arc.to in sinks else arc for arc in arcs
        )
        states[name] = (
            (*_while_active(active, rewritten), return_arc) if name in gives_up else rewritten
        )
    return replace(machine, initial=IDLE, init={**machine.init, ready: True}, states=states)


def _while_active(active: str, arcs: Sequence[Arc]) -> Iterator[Arc]:
    """Yield the arcs with guards that also require the outer machine to be in the composite state."""
    for arc in arcs:
        yield replace(arc, guard=_expression(f"{active} && ({arc.guard.text})"))


def _check_unused(machine: Machine, *names: str) -> None:
    for name in names:
        if name in machine.states:
            where = f"machines.{machine.name}.states.{name}"
            raise NetworkError("composite states need this name", where, name, "another name")
