"""Build a network from a mapping, as read from a YAML file."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hetwin_machines.composite import CompositeState, without_composite_states
from hetwin_machines.cycle import FAULTS, TOP
from hetwin_machines.errors import NetworkError
from hetwin_machines.expressions.language import FUNCTIONS, parse
from hetwin_machines.expressions.operations import LIMIT, Value
from hetwin_machines.network import (
    ALL,
    Advance,
    Arc,
    Expression,
    Machine,
    Network,
    OnInactive,
)
from hetwin_suite.expressions import names_of

MAX_CYCLES = 100
_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_WORDS_OF_CEL = {
    *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function"),
    *("if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while"),
}
RESERVED = {TOP, *FAULTS, *_WORDS_OF_CEL, *FUNCTIONS}
"""Names that are not allowed for signals, machines and states."""


def read_network(data: object) -> Network:
    """Return a network.

    Args:
        data: mappings, lists, strings, numbers and Booleans, as read from a YAML file.

    Raises:
        NetworkError: if the network cannot be used, with machine, state and key.
    """
    keys = ("inputs", "events", "outputs", "advance", "max_cycles", "machines")
    file = _mapping(data, "", keys, needs=("machines",))
    machines = _mapping(file["machines"], "machines")
    if not machines:
        raise NetworkError("there is no machine", "machines")
    parsed = [
        _machine(_name(name, "machines"), value, f"machines.{name}")
        for name, value in machines.items()
    ]
    composite_states = {
        name: composite
        for name, value in machines.items()
        if (composite := _composite_state(name, value))
    }
    network = Network(
        inputs=_names(file, "inputs"),
        events=_names(file, "events"),
        outputs=_names(file, "outputs"),
        advance=Advance(_one_of(file.get("advance", "settled"), "advance", Advance)),
        max_cycles=_count(file.get("max_cycles", MAX_CYCLES), "max_cycles", minimum=1),
        machines=without_composite_states(parsed, composite_states),
    )
    _check_signals(network)
    return network


def _machine(name: str, data: object, where: str) -> Machine:
    keys = ("initial", "init", "states", "on_inactive", "in", "gives_up")
    entry = _mapping(data, where, keys, needs=("initial", "states"))
    rows = _mapping(entry["states"], f"{where}.states")
    names = [_name(state, f"{where}.states.{state}") for state in rows]
    init = _mapping({} if entry.get("init") is None else entry["init"], f"{where}.init")
    return Machine(
        name=name,
        initial=_state(entry["initial"], f"{where}.initial", names),
        init={_name(n, f"{where}.init"): _value(v, f"{where}.init.{n}") for n, v in init.items()},
        states={
            state: tuple(
                _arc(arc, f"{where}.states.{state}.{i}", names)
                for i, arc in enumerate(_list(arcs, f"{where}.states.{state}"))
            )
            for state, arcs in rows.items()
        },
        on_inactive=OnInactive(
            _one_of(entry.get("on_inactive", "stay"), f"{where}.on_inactive", OnInactive)
        ),
    )


def _composite_state(name: str, data: Mapping[str, Any]) -> CompositeState | None:
    """Return the composite state that a machine belongs to; None if it does not belong to one."""
    composite, where = data.get("in"), f"machines.{name}.in"
    gives_up = [str(state) for state in _list(data.get("gives_up"), f"machines.{name}.gives_up")]
    if composite is None:
        if gives_up:
            raise NetworkError("gives_up is only allowed together with in", where, None, "in")
        return None
    machine, dot, state = str(composite).partition(".")
    if not dot:
        raise NetworkError("not a state", where, composite, "MACHINE.STATE")
    return CompositeState(machine, state, frozenset(gives_up))


def _arc(data: object, where: str, states: list[str]) -> Arc:
    entry = _mapping(data, where, ("if", "do", "pop", "push", "to"), needs=("if", "to"))
    assigned = _mapping({} if entry.get("do") is None else entry["do"], f"{where}.do")
    pop = entry.get("pop", 0)
    return Arc(
        guard=_expression(entry["if"], f"{where}.if"),
        assignments={
            _name(name, f"{where}.do"): _expression(value, f"{where}.do.{name}")
            for name, value in assigned.items()
        },
        pop="all" if pop == ALL else _count(pop, f"{where}.pop", minimum=0),
        push=tuple(
            _state(state, f"{where}.push", states)
            for state in _list(entry.get("push"), f"{where}.push")
        ),
        to=TOP if entry["to"] == TOP else _state(entry["to"], f"{where}.to", states),
    )


def _check_signals(network: Network) -> None:
    """Check that machines do not set external signals, and that all other signals have a unique initial value.

    Raises:
        NetworkError: if not.
    """
    outside: dict[str, str] = {}
    for kind, names in (("inputs", network.inputs), ("events", network.events)):
        for name in names:
            if name in outside:
                raise NetworkError(f"{name} is already in {outside[name]}", kind, name)
            outside[name] = kind
    initial_values: dict[str, tuple[str, Value]] = {}
    for machine in network.machines:
        for name, value in machine.init.items():
            where = f"machines.{machine.name}.init.{name}"
            _check_set(name, outside, where)
            other, initial = initial_values.setdefault(name, (machine.name, value))
            if (initial, type(initial)) != (value, type(value)):
                raise NetworkError(f"{other} begins with {initial!r}", where, value, "one value")
    for where, arc in _arcs(network):
        for key, expression in (("if", arc.guard), *_named_assignments(arc)):
            _check_names(expression, f"{where}.{key}")
        for name in arc.assignments:
            _check_set(name, outside, f"{where}.do.{name}")


def _arcs(network: Network) -> Iterator[tuple[str, Arc]]:
    """Yield all arcs with their dotted keys in the file."""
    for machine in network.machines:
        for state, arcs in machine.states.items():
            for i, arc in enumerate(arcs):
                yield f"machines.{machine.name}.states.{state}.{i}", arc


def _named_assignments(arc: Arc) -> list[tuple[str, Expression]]:
    return [(f"do.{name}", expression) for name, expression in arc.assignments.items()]


def _check_set(name: str, outside: Mapping[str, str], where: str) -> None:
    if name in outside:
        kind = "an input" if outside[name] == "inputs" else "an event"
        raise NetworkError(f"{kind} cannot be set by a machine", where, name)


def _check_names(expression: Expression, where: str) -> None:
    """Check that an expression has no reserved names; signals that are never set are faults in the run, not errors."""
    for name in names_of(expression.node):
        if name in RESERVED:
            raise NetworkError("this name is reserved", where, name)


def _mapping(
    data: object, where: str, keys: tuple[str, ...] = (), needs: tuple[str, ...] = ()
) -> Mapping[Any, Any]:
    if not isinstance(data, Mapping):
        expected = f"a mapping with {', '.join(keys)}" if keys else "a mapping"
        raise NetworkError("not a mapping", where, data, expected)
    for key in data:
        if keys and key not in keys:
            key_path = f"{where}.{key}" if where else str(key)
            raise NetworkError("there is no such key", key_path, key, ", ".join(keys))
    for key in needs:
        if key not in data:
            raise NetworkError(f"the key {key} is missing", where, None, ", ".join(keys))
    return data


def _list(data: object, where: str) -> list[Any]:
    if data is None:
        return []
    if not isinstance(data, list | tuple):
        raise NetworkError("not a list", where, data, "a list")
    return list(data)


def _names(file: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = [_name(name, key) for name in _list(file.get(key), key)]
    duplicate = next((name for name in names if names.count(name) > 1), None)
    if duplicate is not None:
        raise NetworkError("this name occurs twice", key, duplicate)
    return tuple(names)


def _name(name: object, where: str) -> str:
    if not isinstance(name, str) or not _NAME.match(name):
        raise NetworkError("not a valid name", where, name, "letters, digits and _, no digit first")
    if name in RESERVED or keyword.iskeyword(name) or name.startswith("__"):
        raise NetworkError("this name is reserved", where, name, "another name")
    return name


def _state(name: object, where: str, states: list[str]) -> str:
    if name not in states:
        raise NetworkError("there is no such state", where, name, ", ".join(states))
    return str(name)


def _value(value: object, where: str) -> Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and -LIMIT <= value < LIMIT:
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    raise NetworkError(
        "a signal cannot have this value", where, value, "a finite number or a Boolean"
    )


def _expression(data: object, where: str) -> Expression:
    """Return an expression, which YAML may have read as a Boolean or a number."""
    if isinstance(data, bool):
        text = str(data).lower()
    elif isinstance(data, int | float):
        text = repr(_value(data, where))
    elif isinstance(data, str) and data.strip():
        text = data
    else:
        raise NetworkError("not an expression", where, data, "a text such as n > 0")
    return Expression(text, parse(text, where))


def _count(data: object, where: str, minimum: int) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or data < minimum:
        kinds = f"a whole number, {minimum} or more"
        raise NetworkError(
            "not a valid number", where, data, f"{kinds}, or all" if minimum == 0 else kinds
        )
    return data


def _one_of(data: object, where: str, kinds: Iterable[str]) -> str:
    names = [str(kind) for kind in kinds]
    if data not in names:
        raise NetworkError("not one of the choices", where, data, ", ".join(names))
    return str(data)
