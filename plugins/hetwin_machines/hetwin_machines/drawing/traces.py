"""Summarizes a trace for a drawing."""

from __future__ import annotations

from collections.abc import Iterable

from hetwin_machines.drawing.graph import MachineTrace
from hetwin_machines.network import Network
from hetwin_machines.observation.profile import Profile
from hetwin_machines.observation.watch import ObservedCycle


def summarize(
    network: Network, trace: Iterable[ObservedCycle]
) -> tuple[dict[str, MachineTrace], str]:
    """Return machine -> summary of its trace, and the note of the drawing about the trace.

    Args:
        network: the network.
        trace: all cycles, from the first on.
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
            if name in seen.fault_reasons:
                key = (seen.before[name], entry["state"])
                faults[name].setdefault(key, (seen.line["cycle"], seen.fault_reasons[name]))
    summaries = {
        name: MachineTrace(
            stays=profile.stays[name],
            last=last[name],
            faults=tuple((*key, *value) for key, value in faults[name].items()),
        )
        for name in last
    }
    cycles = f"{profile.cycles} cycle{'s' if profile.cycles != 1 else ''}"
    return summaries, f"trace of {cycles}: arcs taken in blue, with counts; faults in red"
