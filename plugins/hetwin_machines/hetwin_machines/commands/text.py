"""Text output of a running network: a line for each cycle, with aligned columns."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_machines.cycle import FAULTS
from hetwin_machines.network import Network
from hetwin_machines.seeing.looking import in_words
from hetwin_machines.seeing.profile import Profile
from hetwin_machines.seeing.watch import Seen


class Lines:
    """Formats cycles as lines.

    Args:
        network: the network.
    """

    def __init__(self, network: Network) -> None:
        self._widths = {
            machine.name: max(len(state) for state in machine.states)
            for machine in network.machines
        }

    def of(self, seen: Seen) -> Iterator[str]:
        """Yield the line of a cycle, and a line for each fault in it."""
        line = seen.line
        machines = "  ".join(
            f"{name} {self._state(name, entry['state'], entry['stack'])}"
            for name, entry in line["machines"].items()
        )
        signals = "  ".join(f"{name}={in_words(value)}" for name, value in line["signals"].items())
        yield f"{line['cycle']:5d} {line['step']:5d}  {machines}  | {signals}"
        for name, reason in seen.why.items():
            yield f"{'':13}{name} is {line['machines'][name]['state']}: {reason}"

    def _state(self, name: str, state: str, stack: list[str]) -> str:
        shown = f"{state:{self._widths[name]}}"
        return f"{shown} [{' '.join(stack)}]" if stack else shown


def profile_lines(profile: Profile) -> Iterator[str]:
    """Yield lines with visits and durations of all states, and counts of the arcs taken."""
    for name, stays in profile.stays.items():
        yield f"{name}:"
        width = max(len(state) for state in stays)
        for state, stay in stays.items():
            share = stay.cycles / profile.cycles if profile.cycles else 0.0
            taken = ", ".join(str(count) for count in stay.arcs)
            arcs = f"  arcs taken: {taken}" if taken and state not in FAULTS else ""
            yield (
                f"  {state:{width}}  {stay.visits:5d} visits  {stay.cycles:6d} cycles ({share:4.0%}),"
                f" at most {stay.longest} in a row{arcs}"
            )
