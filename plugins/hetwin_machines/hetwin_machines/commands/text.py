"""Text output of a running network: a line for each cycle, with aligned columns."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_machines.cycle import FAULTS
from hetwin_machines.network import Network
from hetwin_machines.observation.evaluations import value_text
from hetwin_machines.observation.profile import Profile
from hetwin_machines.observation.watch import ObservedCycle


class CycleFormatter:
    """Formats cycles as lines.

    Args:
        network: the network.
    """

    def __init__(self, network: Network) -> None:
        self._widths = {
            machine.name: max(len(state) for state in machine.states)
            for machine in network.machines
        }

    def lines(self, cycle: ObservedCycle) -> Iterator[str]:
        """Yield the line of a cycle, and a line for each fault in it."""
        line = cycle.line
        machines = "  ".join(
            f"{name} {self._state(name, entry['state'], entry['stack'])}"
            for name, entry in line["machines"].items()
        )
        signals = "  ".join(
            f"{name}={value_text(value)}" for name, value in line["signals"].items()
        )
        yield f"{line['cycle']:5d} {line['step']:5d}  {machines}  | {signals}"
        for name, reason in cycle.fault_reasons.items():
            yield f"{'':13}{name} is {line['machines'][name]['state']}: {reason}"

    def _state(self, name: str, state: str, stack: list[str]) -> str:
        text = f"{state:{self._widths[name]}}"
        return f"{text} [{' '.join(stack)}]" if stack else text


def profile_lines(profile: Profile) -> Iterator[str]:
    """Yield lines with visits and durations of all states, and counts of the arcs taken."""
    for name, states in profile.stays.items():
        yield f"{name}:"
        width = max(len(state) for state in states)
        for state, statistics in states.items():
            fraction = statistics.cycles / profile.cycles if profile.cycles else 0.0
            taken = ", ".join(str(count) for count in statistics.arcs)
            arcs = f"  arcs taken: {taken}" if taken and state not in FAULTS else ""
            yield (
                f"  {state:{width}}  {statistics.visits:5d} visits  {statistics.cycles:6d} cycles ({fraction:4.0%}),"
                f" at most {statistics.longest} in a row{arcs}"
            )
