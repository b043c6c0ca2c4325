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
    from hetwin_machines.seeing.watch import Seen


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
    from hetwin_machines.commands.text import Lines, profile_lines
    from hetwin_machines.network_files import find_network, load_network
    from hetwin_machines.seeing.profile import Profile

    network = load_network(find_network(net))
    counted, lines = Profile(network), Lines(network)
    rows = rows_of(inputs, network)
    plain = as_json and not why and not stays
    if plain:
        _print_fast(network, rows, trace)
        return
    for seen, is_shown in _seen(network, rows, trace):
        counted.add(seen)
        if is_shown and as_json:
            print(
                json.dumps({**seen.line, "why": dict(seen.why)} if why else seen.line), flush=True
            )
        elif is_shown or seen.why:
            print("\n".join(lines.of(seen)), flush=True)
    if stays:
        print(
            json.dumps({"profile": counted.to_json()})
            if as_json
            else "\n".join(profile_lines(counted))
        )


def _print_fast(network: Network, rows: Iterator[dict[str, Any]], trace: bool) -> None:
    from hetwin_machines.running import NetworkRun

    going = NetworkRun(network)
    for row in rows:
        last = None
        for line in going.step(row):
            if trace:
                print(json.dumps(line), flush=True)
            last = line
        if not trace:
            print(json.dumps(last), flush=True)
        if going.is_over:
            return


def _seen(
    network: Network, rows: Iterator[dict[str, Any]], trace: bool
) -> Iterator[tuple[Seen, bool]]:
    """Yield each cycle, and whether to print it: all cycles with a trace, otherwise the last cycle of each step."""
    from hetwin_machines.seeing.watch import Watch

    watch = Watch(network)
    for row in rows:
        last = None
        for seen in watch.step(row):
            if last is not None:
                yield last, trace
            last = seen
        if last is not None:
            yield last, True
        if watch.is_over:
            return
