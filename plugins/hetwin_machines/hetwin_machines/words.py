"""Events that machines raise in a run, and what a run's outcome says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetwin_suite.command import RunFigures

MACHINE_STATE = "machine_state"
"""A machine is in another state, or has another stack: machine, state, stack (the top last), why (guard of its arc)."""
MACHINE_FAULT = "machine_fault"
"""A machine has a fault: machine, state, fault, why."""


def machine_figures(rows: Sequence[Mapping[str, Any]]) -> RunFigures:
    """Return the last state of each machine, as MODEL.MACHINE; its way there is not printed.

    Args:
        rows: the events of a run, as its summary has them.
    """
    from hetwin_suite.command import RunFigures

    states = [(row["source"], row["arguments"]) for row in rows if row["name"] == MACHINE_STATE]
    last = {f"{source}.{said['machine']}": said["state"] for source, said in states}
    return RunFigures("machines", last, (), frozenset({MACHINE_STATE}))
