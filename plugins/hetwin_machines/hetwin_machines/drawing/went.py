"""Sums up a trace for a drawing."""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_machines.drawing.graph import Went
from hetwin_machines.network import Network
from hetwin_machines.seeing.profile import Profile
from hetwin_machines.seeing.watch import Seen


def went_of(network: Network, trace: Iterable[Seen]) -> tuple[dict[str, Went], str]:
    """Return what each machine did in a trace, and what a drawing says of it.

    Args:
        network: whose trace it is.
        trace: all that was seen, from the first cycle on.
    """
    profile = Profile(network)
    faults: dict[str, dict[tuple[str, str], tuple[int, str]]] = {
        machine.name: {} for machine in network.machines
    }
    last = {machine.name: machine.initial for machine in network.machines}
    for seen in trace:
        profile.add(seen)
        for name, entry in seen.line["machines"].items():
            last[name] = entry["state"]
            if name in seen.why:
                key = (seen.before[name], entry["state"])
                faults[name].setdefault(key, (seen.line["cycle"], seen.why[name]))
    went = {
        name: Went(
            stays=profile.stays[name],
            last=last[name],
            faults=tuple((*key, *value) for key, value in faults[name].items()),
        )
        for name in last
    }
    cycles = f"{profile.cycles} cycle{'s' if profile.cycles != 1 else ''}"
    return went, f"trace of {cycles}: the way taken in blue, with how often; faults in red"
