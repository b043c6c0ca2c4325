"""Measures what a cycle of a state machine costs, in hetwin with all its self-diagnosis and in the systems of others.

The same chart of four states and eight arcs runs in all of them, ten machines at once, and all must come to the same
states and counters. The systems take turns, in processor time, and the best round of each counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module

from machine import machine
from machine_peers.chart import Machines

ENGINES = {
    "hetwin": ("machine_peers.hetwin_engine", 4000),
    "transitions": ("machine_peers.transitions_peer", 600),
    "python-statemachine": ("machine_peers.statemachine_peer", 30),
    "py_trees": ("machine_peers.py_trees_peer", 1500),
    "by hand": ("machine_peers.by_hand", 20000),
}
"""Module of each engine, and how many cycles a round has: some tenths of a second."""
MACHINES = 10
COMPARED = 60
"""Cycles after which all engines must have come to the same."""
EXAMPLES = """examples:
  python benchmarks/machines.py
  python benchmarks/machines.py --rounds 9 --json
"""


@dataclass(frozen=True, slots=True)
class Row:
    """The least processor time of all rounds, in microseconds per machine and cycle."""

    engine: str
    us_per_machine_cycle: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """An engine that was not measured, and the reason."""

    engine: str
    reason: str


def go(cycle: int) -> bool:
    """Return whether the order is given: every third cycle."""
    return cycle % 3 == 0


def make(module: str) -> Machines:
    """Return machines of an engine."""
    machines: Machines = import_module(module).make(MACHINES)
    return machines


def check(engine: str, machines: Machines) -> None:
    """See that an engine goes the way that is written by hand, cycle by cycle.

    Raises:
        AssertionError: if not; with the cycle.
    """
    right = make(ENGINES["by hand"][0])
    for cycle in range(COMPARED):
        machines.tick(go(cycle))
        right.tick(go(cycle))
        found, expected = list(machines.now()), list(right.now())
        if found != expected:
            raise AssertionError(f"{engine}, cycle {cycle}: {found[0]} instead of {expected[0]}")


def measured(machines: Machines, cycles: int) -> float:
    """Return the processor time of some cycles, in microseconds per machine and cycle."""
    tick = machines.tick
    begun = time.process_time()
    for cycle in range(cycles):
        tick(cycle % 3 == 0)
    return (time.process_time() - begun) * 1e6 / (cycles * MACHINES)


def compare(engines: Sequence[str], rounds: int) -> tuple[list[Row], list[Skipped]]:
    """Return the cost of each engine, and those that are not installed."""
    ready: dict[str, Machines] = {}
    skipped: list[Skipped] = []
    for engine in engines:
        try:
            check(engine, make(ENGINES[engine][0]))
            ready[engine] = make(ENGINES[engine][0])
        except ModuleNotFoundError as error:
            skipped.append(Skipped(engine, f"{error.name} is not installed (extra benchmarks)"))
    found: dict[str, list[float]] = {engine: [] for engine in ready}
    for _ in range(rounds):
        for engine, machines in ready.items():
            found[engine].append(measured(machines, ENGINES[engine][1]))
    return [Row(engine, round(min(times), 3)) for engine, times in found.items()], skipped


def show(rows: Sequence[Row], skipped: Sequence[Skipped]) -> None:
    """Print a table for people."""
    ours = next((row.us_per_machine_cycle for row in rows if row.engine == "hetwin"), None)
    for row in rows:
        times = f"  {row.us_per_machine_cycle / ours:7.1f} times hetwin" if ours else ""
        print(f"{row.engine:20} {row.us_per_machine_cycle:9.2f} us per machine and cycle{times}")
    for each in skipped:
        print(f"{each.engine:20} skipped: {each.reason}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return the exit code."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--engine", action="append", choices=ENGINES, help="only these")
    parser.add_argument("--rounds", type=int, default=5, help="of each engine; default: 5")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    rows, skipped = compare(given.engine or list(ENGINES), given.rounds)
    if given.json:
        told = {"rows": [asdict(row) for row in rows], "skipped": [asdict(s) for s in skipped]}
        print(json.dumps({**told, "machine": machine()}))
    else:
        show(rows, skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main())
