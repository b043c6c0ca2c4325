"""The events that machines raise in a run, and their part of the run's outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hetwin_suite.command import RunFigures

MACHINE_STATE = "machine_state"
"""The state or stack of a machine has changed: machine, state, stack (the top is last), why (guard of the arc)."""
MACHINE_FAULT = "machine_fault"
"""A machine has a fault: machine, state (before the fault), fault, why."""


def machine_figures(rows: Sequence[Mapping[str, Any]]) -> RunFigures:
    """Return the last state of each MODEL.MACHINE; the single changes of state are left out of the outcome.

    Args:
        rows: events of a run, as in its summary.
    """
    from hetwin_suite.command import RunFigures

    states = [(row["source"], row["arguments"]) for row in rows if row["name"] == MACHINE_STATE]
    last = {f"{source}.{given['machine']}": given["state"] for source, given in states}
    return RunFigures("machines", last, (), frozenset({MACHINE_STATE}))
