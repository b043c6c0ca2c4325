"""Generate a Python function for each machine, with its states and arcs in the order of the file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from hetwin_machines.cycle import INCOMPLETE, NON_DETERMINISTIC, POP_ALL
from hetwin_machines.expressions.kinds import Kind, kind_of, union
from hetwin_machines.expressions.python import Writer, local_name, without_brackets
from hetwin_machines.network import ALL, Arc, Expression, Machine, Network
from hetwin_suite.expressions import names_of


def signal_kinds(network: Network) -> dict[str, Kind]:
    """Return signal -> kind of the values it can have; inputs may be numbers or Booleans."""
    kinds = dict.fromkeys(network.inputs, Kind.ANY) | dict.fromkeys(network.events, Kind.TRUTH)
    setters = [
        (name, assigned.node)
        for machine in network.machines
        for arcs in machine.states.values()
        for arc in arcs
        for name, assigned in arc.assignments.items()
    ]
    inferred: dict[str, Kind] = {name: Kind.NONE for name, _ in setters}
    for machine in network.machines:
        for name, value in machine.init.items():
            kind = Kind.TRUTH if isinstance(value, bool) else Kind.NUMBER
            inferred[name] = union(inferred.get(name, Kind.NONE), kind)
    while True:
        updated = dict(inferred)
        for name, node in setters:
            updated[name] = union(updated[name], kind_of(node, kinds | updated))
        if updated == inferred:
            return kinds | {n: k if k is not Kind.NONE else Kind.ANY for n, k in inferred.items()}
        inferred = updated


def literal(value: object) -> str:
    """Return Python for strings, numbers, Booleans, and tuples and mappings of these."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        items = ", ".join(literal(item) for item in value)
        return f"({items},)" if len(value) == 1 else f"({items})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{literal(k)}: {literal(v)}' for k, v in value.items())}}}"
    return repr(value)


def plan_source(machine: Machine, kinds: Mapping[str, Kind]) -> str:
    """Return the source of the function ``plan_NAME`` of a machine, see `cycle.Plan`."""
    writer = Writer(kinds)
    lines = [f"def plan_{machine.name}(state, s):", f'    """{machine.name}."""']
    for name, arcs in machine.states.items():
        lines.append(f"    if state == {literal(name)}:")
        lines += [f"        {line}" for line in _state(arcs, writer)]
    return "\n".join(lines) + "\n"


def _state(arcs: tuple[Arc, ...], writer: Writer) -> Iterator[str]:
    if not arcs:
        yield "return None  # a sink"
        return
    guard_signals = _names_in(arc.guard for arc in arcs)
    yield from _read_signals(guard_signals)
    guards = [writer.truth(arc.guard.node) for arc in arcs]
    yield from (f"arc_{i} = {without_brackets(text)}" for i, text in enumerate(guards))
    fires = " + ".join(f"arc_{i}" for i in range(len(arcs)))
    yield f"fires = {fires}"
    yield "if fires != 1:"
    yield f"    return {literal(NON_DETERMINISTIC)} if fires else {literal(INCOMPLETE)}"
    for i, arc in enumerate(arcs):
        yield f"if arc_{i}:  # {_comment(arc)}"
        yield from (f"    {line}" for line in _transition(arc, guard_signals, writer))


def _transition(arc: Arc, guard_signals: list[str], writer: Writer) -> Iterator[str]:
    yield from _read_signals(
        name for name in _names_in(arc.assignments.values()) if name not in guard_signals
    )
    values = ", ".join(
        f"{literal(name)}: {without_brackets(writer.write(assigned.node))}"
        for name, assigned in arc.assignments.items()
    )
    pops = POP_ALL if arc.pop == ALL else arc.pop
    yield f"return {{{values}}}, {pops}, {literal(arc.push)}, {literal(arc.to)}"


def _names_in(expressions: Iterable[Expression]) -> list[str]:
    return list(dict.fromkeys(name for e in expressions for name in names_of(e.node)))


def _read_signals(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield f"{local_name(name)} = s[{literal(name)}]"


def _comment(arc: Arc) -> str:
    return f"{' '.join(arc.guard.text.split())} -> {arc.to}"
