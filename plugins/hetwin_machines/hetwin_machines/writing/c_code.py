"""Writes a network as C99 that allocates nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hetwin_machines.cycle import ALL_OF_IT, FAULTS
from hetwin_machines.network import ALL, TOP, Advance, Arc, Machine, Network
from hetwin_machines.writing.calls import Calls, names_in, sinks_of

STACK = 1024
"""States that fit on a stack; one more is a fault of its own."""
_HEAD = """#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#ifdef NETWORK_MAIN
#include <stdio.h>
#include <stdlib.h>
#endif

enum { UNSET, FAILED, TRUTH, WHOLE, REAL };
enum { INCOMPLETE = -1, NON_DETERMINISTIC = -2, UNDEFINED = -3, CONFLICT = -4, STACK_FULL = -5 };
enum { NOTHING = 1, TOP = -6, ALL_OF_IT = -1 };

/* A value: of no kind yet, true or false (i), a whole number (i), or a real one (d). */
typedef struct { int kind; int64_t i; double d; } V;
"""


def c_code(network: Network, name: str) -> str:
    """Return the text of a C file; with ``-DNETWORK_MAIN`` it is a program that reads steps and prints cycles.

    Args:
        network: what is written.
        name: of the file that it was read from.
    """
    said = name.replace("*/", "")
    body = Path(__file__).with_name("runtime.c").read_text(encoding="utf-8")
    return "\n".join(
        [
            f"/* The network of {said}, written by hetwin machines code. */",
            _HEAD,
            *_tables(network),
            body,
            *_plans(network),
        ]
    )


def _tables(network: Network) -> Iterator[str]:
    """The sizes, names and beginnings of a network, and what it is like at work."""
    machines, signals, states = network.machines, network.signals, _states(network)
    arcs = [arc for m in machines for arcs in m.states.values() for arc in arcs]
    init = [
        f"{{{i}, {signals.index(name)}, {_constant(value)}}}"
        for i, machine in enumerate(machines)
        for name, value in machine.init.items()
    ]
    settled = network.advance is Advance.SETTLED
    sizes = {
        "MACHINES": len(machines),
        "SIGNALS": max(1, len(signals)),
        "INPUTS": len(network.inputs),
        "EVENTS": len(network.events),
        "STACK": STACK,
        "MOST_CYCLES": network.max_cycles if settled else 1,
        "MOST_SET": max([1, *(len(arc.assignments) for arc in arcs)]),
        "MOST_PUSHED": max([1, *(len(arc.push) for arc in arcs)]),
        "INIT_COUNT": len(init),
    }
    yield f"enum {{ {', '.join(f'{key} = {value}' for key, value in sizes.items())} }};"
    yield f"enum {{ {', '.join(f'S_{n} = {i}' for i, n in enumerate(signals or ('nothing',)))} }};"
    yield f"enum {{ {', '.join(f'{_state(*key)} = {i}' for key, i in states.items())} }};"
    yield (
        "typedef struct {\n    int cycle, step, is_over;\n"
        "    int state[MACHINES], stopped[MACHINES], depth[MACHINES];\n"
        "    int stack[MACHINES][STACK];\n    V signals[SIGNALS];\n} Network;"
    )
    yield "typedef struct { int machine, signal; V value; } Beginning;"
    initial = ", ".join(_state(m.name, m.initial) for m in machines)
    yield f"static const int INITIAL[] = {{{initial}}};"
    kinds = ", ".join(
        f"'{'y' if m.on_inactive == 'stay' else str(m.on_inactive)[0]}'" for m in machines
    )
    yield f"static const char ON_INACTIVE[] = {{{kinds}}};"
    yield f"static const Beginning INIT[] = {{{', '.join(init) or '{0, 0, {0, 0, 0.0}}'}}};"
    sinks = sinks_of(network)
    yield f"static const int IS_SINK[] = {{{', '.join(str(int(s in sinks[m])) for m, s in states)}}};"
    yield "#ifdef NETWORK_MAIN"
    names = ", ".join(f'"{state}"' for _, state in states)
    yield f"static const char *const STATE_NAMES[] = {{{names}}};"
    faults = ", ".join(f'"{fault}"' for fault in ("", *FAULTS, "__STACK_FULL__"))
    yield f"static const char *const FAULT_NAMES[] = {{{faults}}};"
    yield "#endif\n"


def _states(network: Network) -> dict[tuple[str, str], int]:
    keys = [(machine.name, state) for machine in network.machines for state in machine.states]
    return {key: i for i, key in enumerate(keys)}


def _state(machine: str, state: str) -> str:
    return f"STATE_{machine}__{state}"


def _constant(value: bool | float) -> str:
    if isinstance(value, bool):
        return f"{{TRUTH, {int(value)}, 0.0}}"
    if isinstance(value, int):
        return f"{{WHOLE, {_whole(value)}, 0.0}}"
    return f"{{REAL, 0, {value!r}}}"


def _whole(value: int) -> str:
    return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"


def _literal(value: bool | float) -> str:
    if isinstance(value, bool):
        return f"truth_of({int(value)})"
    return f"whole({_whole(value)})" if isinstance(value, int) else f"real({value!r})"


_WRITER = Calls(_literal, lambda name: f"s[S_{name}]")


def _plans(network: Network) -> Iterator[str]:
    """A function for each machine, with its states and arcs in the order of the file."""
    for machine in network.machines:
        yield f"static void plan_{machine.name}(int state, const V *s, Go *go)\n{{"
        yield "    (void)s;\n    switch (state) {"
        for state, arcs in machine.states.items():
            yield f"    case {_state(machine.name, state)}: {{"
            yield from (f"        {line}" for line in _in_state(machine, arcs))
            yield "    }"
        yield "    default: go->fault = NOTHING;\n    }\n}\n"
    yield "static void plan(int machine, int state, const V *s, Go *go)\n{"
    yield "    go->fault = 0;\n    switch (machine) {"
    for i, machine in enumerate(network.machines):
        yield f"    case {i}: plan_{machine.name}(state, s, go); break;"
    yield "    }\n}"


def _in_state(machine: Machine, arcs: tuple[Arc, ...]) -> Iterator[str]:
    if not arcs:
        yield "go->fault = NOTHING; /* a sink */"
        yield "return;"
        return
    yield "int fires = 0;"
    yield from (f"V arc_{i};" for i in range(len(arcs)))
    yield from _unset(names_in([arc.guard.node for arc in arcs]))
    for i, arc in enumerate(arcs):
        yield f"arc_{i} = {_WRITER.write(arc.guard.node)};"
        yield f"if (arc_{i}.kind != TRUTH) {{ go->fault = UNDEFINED; return; }}"
        yield f"fires += arc_{i}.i != 0;"
    yield "if (fires != 1) { go->fault = fires ? NON_DETERMINISTIC : INCOMPLETE; return; }"
    for i, arc in enumerate(arcs):
        yield f"if (arc_{i}.i) {{"
        yield from (f"    {line}" for line in _taken(machine, arc))
        yield "}"
    yield "return;"


def _unset(names: list[str]) -> Iterator[str]:
    for name in names:
        yield f"if (s[S_{name}].kind == UNSET) {{ go->fault = UNDEFINED; return; }}"


def _taken(machine: Machine, arc: Arc) -> Iterator[str]:
    yield from _unset(names_in([e.node for e in arc.assignments.values()]))
    for i, (name, expression) in enumerate(arc.assignments.items()):
        yield f"go->names[{i}] = S_{name};"
        yield f"go->values[{i}] = {_WRITER.write(expression.node)};"
        yield f"if (go->values[{i}].kind == FAILED) {{ go->fault = UNDEFINED; return; }}"
    for i, state in enumerate(arc.push):
        yield f"go->pushed[{i}] = {_state(machine.name, state)};"
    pops = ALL_OF_IT if arc.pop == ALL else arc.pop
    to = "TOP" if arc.to == TOP else _state(machine.name, arc.to)
    yield f"go->count = {len(arc.assignments)}; go->pops = {pops}; go->pushes = {len(arc.push)}; go->to = {to};"
