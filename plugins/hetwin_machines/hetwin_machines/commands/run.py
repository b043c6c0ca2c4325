"""`hetwin machines run`: runs a network step by step with a table of inputs and events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_machines.commands.arguments import Net
from hetwin_suite.command import AsJson

if TYPE_CHECKING:
    from hetwin_machines.network import Network
    from hetwin_machines.observation.watch import ObservedCycle


def run(
    net: Net,
    inputs: Annotated[
        Path,
        typer.Option(
            help="table with a row for each step, a column for each input and event; -: rows from stdin"
        ),
    ],
    trace: Annotated[
        bool, typer.Option("--trace", help="every cycle, not only each step's last")
    ] = False,
    why: Annotated[
        bool, typer.Option("--why", help="add the reasons of faults to the JSON")
    ] = False,
    stays: Annotated[
        bool, typer.Option("--stays", help="print visits and durations of each state at the end")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run a network of state machines, and print states, stacks and signals after each step, or each cycle.

    A fault of a machine is a result, not an error: it is printed with its reason. With --json a line is
    {cycle, step, machines: {name: {state, stack}}, signals: {name: value}}.

    Example: hetwin machines run counter --inputs scenarios/networks/counter.csv --trace
    """
    from hetwin_machines.commands.arguments import rows_of
    from hetwin_machines.commands.text import CycleFormatter, profile_lines
    from hetwin_machines.network_files import find_network, load_network
    from hetwin_machines.observation.profile import Profile

    network = load_network(find_network(net))
    profile, lines = Profile(network), CycleFormatter(network)
    rows = rows_of(inputs, network)
    is_plain = as_json and not why and not stays
    if is_plain:
        _print_fast(network, rows, trace)
        return
    for cycle, is_shown in _observed_cycles(network, rows, trace):
        profile.add(cycle)
        if is_shown and as_json:
            print(
                json.dumps({**cycle.line, "why": dict(cycle.fault_reasons)} if why else cycle.line),
                flush=True,
            )
        elif is_shown or cycle.fault_reasons:
            print("\n".join(lines.lines(cycle)), flush=True)
    if stays:
        print(
            json.dumps({"profile": profile.to_json()})
            if as_json
            else "\n".join(profile_lines(profile))
        )


def _print_fast(network: Network, rows: Iterator[dict[str, Any]], trace: bool) -> None:
    from hetwin_machines.running import NetworkRun

    network_run = NetworkRun(network)
    for row in rows:
        last = None
        for line in network_run.step(row):
            if trace:
                print(json.dumps(line), flush=True)
            last = line
        if not trace:
            print(json.dumps(last), flush=True)
        if network_run.is_over:
            return


def _observed_cycles(
    network: Network, rows: Iterator[dict[str, Any]], trace: bool
) -> Iterator[tuple[ObservedCycle, bool]]:
    """Yield each cycle, and whether to print it: all cycles with a trace, otherwise the last cycle of each step."""
    from hetwin_machines.observation.watch import Watch

    observed = Watch(network)
    for row in rows:
        last = None
        for cycle in observed.step(row):
            if last is not None:
                yield last, trace
            last = cycle
        if last is not None:
            yield last, True
        if observed.is_over:
            return
