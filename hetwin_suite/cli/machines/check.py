"""`hetwin machines check`: what is wrong in a network, without running it."""

from __future__ import annotations

from hetwin_suite._commands.result import Result
from hetwin_suite.cli.machines.arguments import Net


def check(net: Net) -> Result:
    """Look for gaps between the guards of a state, guards that overlap, states out of reach and signals never set.

    Each finding names machine, state and arcs, and a case in which it comes about; findings are no error.

    Example: hetwin machines check counter
    """
    from hetwin_core.machines.checking.findings import findings
    from model_nodes.network_files import find_network, load_network

    network = load_network(find_network(net))
    found = findings(network)
    names = [machine.name for machine in network.machines]
    lines = [
        f"  {finding.kind}: {f'{finding.machine}: ' if finding.machine else ''}{finding.text}"
        for finding in found
    ]
    head = f"{len(names)} machine{'s' if len(names) > 1 else ''}: {', '.join(names)}"
    return Result(
        {"machines": names, "findings": [f.to_json() for f in found]},
        [head, *(lines or ["  no findings"])],
    )
