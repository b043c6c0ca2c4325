"""Writes a network as a Python file that runs alone, with the standard library."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

from hetwin_machines import cycle, table
from hetwin_machines.expressions import operations
from hetwin_machines.generation import literal, plan_source, signal_kinds
from hetwin_machines.network import Advance, Machine, Network

_IMPORTS = """from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
"""

_MAIN = '''
def main() -> int:
    """Print the trace for a table of inputs: one line a cycle."""
    if len(sys.argv) != 2:
        print(f"usage: python -I {sys.argv[0]} INPUTS.csv", file=sys.stderr)
        return 2
    network = make_network()
    try:
        with open(sys.argv[1], encoding="utf-8-sig", newline="") as lines:
            rows = list(read_rows(lines, INPUTS, EVENTS))
    except (OSError, UnicodeDecodeError, TableError) as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 2
    for row in rows:
        for line in take_step(network, row, SIGNALS):
            print(json.dumps(line))
        if network.is_over:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
'''


def code_of(network: Network, name: str) -> str:
    """Return the text of a Python file that does what the network does, cycle by cycle.

    It has one plan for each machine, with its states and arcs in the order of the file; ``python -I FILE.py
    INPUTS.csv`` prints the lines that ``hetwin machines run --trace --json`` prints.

    Args:
        network: what is written.
        name: of the file that it was read from.
    """
    kinds = signal_kinds(network)
    plans = "\n\n".join(plan_source(machine, kinds) for machine in network.machines)
    said = name.replace("\\", "/").replace('"', "'")
    return "\n\n".join(
        [
            f'"""The network of {said}, written by hetwin machines code."""',
            _IMPORTS,
            f"# {'-' * 70} the plans",
            plans,
            _network(network),
            f"# {'-' * 70} what the signs of expressions mean",
            _body(operations),
            f"# {'-' * 70} the cycles",
            _body(cycle),
            f"# {'-' * 70} the table of inputs",
            _body(table),
            _MAIN.lstrip("\n"),
        ]
    )


def _network(network: Network) -> str:
    rows = "\n".join(f"            {_machine(machine)}," for machine in network.machines)
    settled = network.advance is Advance.SETTLED
    return f"""INPUTS = {literal(network.inputs)}
EVENTS = {literal(network.events)}
SIGNALS = {literal(network.signals)}


def make_network() -> Cycles:
    \"\"\"Return the network before its first step.\"\"\"
    return Cycles(
        [
{rows}
        ],
        INPUTS,
        EVENTS,
        settled={settled},
        max_cycles={network.max_cycles},
    )
"""


def _machine(machine: Machine) -> str:
    sinks = tuple(sorted(name for name, arcs in machine.states.items() if not arcs))
    return (
        f"Running({literal(machine.name)}, plan_{machine.name}, {literal(machine.initial)}, "
        f"{literal(machine.init)}, frozenset({literal(sinks)}), {literal(str(machine.on_inactive))})"
    )


def _body(module: ModuleType) -> str:
    """What a module defines, as it stands there, without its own docstring and imports."""
    source = inspect.getsource(module)
    first = next(
        node
        for node in ast.parse(source).body
        if not isinstance(node, ast.Import | ast.ImportFrom)
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )
    decorators = getattr(first, "decorator_list", [])
    begin = min([first.lineno, *(decorator.lineno for decorator in decorators)])
    return "\n".join(source.splitlines()[begin - 1 :]) + "\n"
