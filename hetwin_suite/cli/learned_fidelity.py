"""`hetwin learn --fidelity`: prints what was found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_suite.futures.learning.fidelity.candidate import Candidate
    from hetwin_suite.futures.learning.fidelity.learn_fidelity import LearnedFidelity, Weighed


def tell_fidelity(found: LearnedFidelity, as_json: bool) -> None:
    """Print what was learned."""
    if as_json:
        print(json.dumps(found.to_json(), indent=2))
        return
    head = ("inflation [m]", "rest steps", "interval [s]", "real time", "speedup", "error", "of")
    show_table(head, [_row(row) for row in found.rows])
    print("on draws that nothing was chosen on, first as chosen, then as the scenario has it:")
    show_table(head, [_row(found.held_out), _row(found.held_out_before)])
    print(found.yaml())


def _row(row: Weighed) -> tuple[str, ...]:
    error = f"{row.error:+.1%} ({row.error_low:+.1%} to {row.error_high:+.1%})"
    speeds = f"{row.real_time_factor:.2f}", f"{row.speedup:.2f}"
    return (*_words(row.candidate), *speeds, error, str(row.of))


def _words(candidate: Candidate) -> tuple[str, str, str]:
    if candidate.inflation is None:
        return "all high", "", ""
    return f"{candidate.inflation:g}", str(candidate.rest_steps), f"{candidate.interval:g}"
