"""Composite states: a machine that works inside a state of another one, as two machines side by side.

Both shake hands as in figure 3 of Machines 2026, 14(3), 273. The signal NAME_active is true while the outer machine
is in the state, NAME_ready while the inner one is idle or has come to one of its stop states, which no arc leaves. An
arc that leaves the composite state before that is one of the outer machine's; the inner machine gives up at once in the
states of `gives_up`, and finishes in the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import parse
from hetwin_machines.network import Arc, Expression, Machine

IDLE = "IDLE"
"""Where an inner machine waits for its turn."""


@dataclass(frozen=True, slots=True)
class Inside:
    """Where a machine works.

    Attributes:
        machine: the outer machine.
        state: its composite state.
        gives_up: states in which the inner machine ends at once when the outer one leaves.
    """

    machine: str
    state: str
    gives_up: frozenset[str]


def side_by_side(machines: Sequence[Machine], inside: Mapping[str, Inside]) -> tuple[Machine, ...]:
    """Return machines without composite states, in the same order.

    Args:
        machines: of the network.
        inside: name of each inner machine -> where it works.

    Raises:
        NetworkError: if there is no such state, a state has two inner machines, or one is inside itself.
    """
    found = {machine.name: machine for machine in machines}
    taken: dict[tuple[str, str], str] = {}
    for name in _outer_first(inside):
        place = inside[name]
        where = f"machines.{name}.in"
        outer = found.get(place.machine)
        if outer is None or place.state not in outer.states:
            at = f"{place.machine}.{place.state}"
            raise NetworkError("there is no such state", where, at, "MACHINE.STATE")
        other = taken.setdefault((place.machine, place.state), name)
        if other != name:
            raise NetworkError(f"{other} works in this state already", where, place.state)
        found[outer.name] = _outer(outer, place.state, name)
        found[name] = _inner(found[name], place.gives_up)
    return tuple(found.values())


def _outer_first(inside: Mapping[str, Inside]) -> list[str]:
    """Names of inner machines, each after the one that it works in.

    Raises:
        NetworkError: if one is inside itself.
    """

    def depth(name: str) -> int:
        around = [name]
        while around[-1] in inside:
            around.append(inside[around[-1]].machine)
            if around.count(around[-1]) > 1:
                raise NetworkError("it works inside itself", f"machines.{name}.in", around[-1])
        return len(around)

    return sorted(inside, key=depth)


def _said(text: str) -> Expression:
    return Expression(text, parse(text, ""))


def _arc(guard: str, to: str, **do: str) -> Arc:
    return Arc(_said(guard), {name: _said(text) for name, text in do.items()}, 0, (), to)


def _doing(arc: Arc, signal: str, text: str) -> Arc:
    return replace(arc, assignments={**arc.assignments, signal: _said(text)})


def _outer(machine: Machine, state: str, inner: str) -> Machine:
    """The machine with arcs that call the inner one, and let it go."""
    active, call, enter = f"{inner}_active", f"CALL_{state}", f"ENTER_{state}"
    _free(machine, call, enter)
    states: dict[str, tuple[Arc, ...]] = {}
    for name, arcs in machine.states.items():
        led = []
        for arc in arcs:
            pushed = tuple(enter if each == state else each for each in arc.push)
            turned = replace(arc, push=pushed)
            if name == state and arc.to != state:
                turned = _doing(turned, active, "false")
            elif name != state and arc.to == state:
                turned = _doing(replace(turned, to=call), active, "true")
            led.append(turned)
        states[name] = tuple(led)
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
    """The machine with the state in which it waits, and what follows when the outer one leaves."""
    active, ready = f"{machine.name}_active", f"{machine.name}_ready"
    _free(machine, IDLE)
    for name in sorted(gives_up):
        if not machine.states.get(name):
            where = f"machines.{machine.name}.gives_up"
            raise NetworkError("there is no such state, or no arc leaves it", where, name)
    ends = {name for name, arcs in machine.states.items() if not arcs}
    states: dict[str, tuple[Arc, ...]] = {
        IDLE: (_arc(active, machine.initial, **{ready: "false"}), _arc(f"!{active}", IDLE))
    }
    back = replace(_arc(f"!{active}", IDLE, **{ready: "true"}), pop="all")
    for name, arcs in machine.states.items():
        if name in ends:
            states[name] = (_arc(active, name, **{ready: "true"}), back)
            continue
        led = tuple(_doing(arc, ready, "true") if arc.to in ends else arc for arc in arcs)
        states[name] = (*_while(active, led), back) if name in gives_up else led
    return replace(machine, initial=IDLE, init={**machine.init, ready: True}, states=states)


def _while(active: str, arcs: Sequence[Arc]) -> Iterator[Arc]:
    """The arcs, which are taken only while the outer machine is in its state."""
    for arc in arcs:
        yield replace(arc, guard=_said(f"{active} && ({arc.guard.text})"))


def _free(machine: Machine, *names: str) -> None:
    for name in names:
        if name in machine.states:
            where = f"machines.{machine.name}.states.{name}"
            raise NetworkError("composite states need this name", where, name, "another name")
