"""`hetwin predict --library`: the best strategy of a library from a moment of a run on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hetwin_suite._commands.following import followed
from hetwin_suite._commands.result import NOT_KNOWN, PagedResult
from hetwin_suite._commands.tables import table
from hetwin_suite.cli.studying import Asked, warn_of_lacking

if TYPE_CHECKING:
    from hetwin_suite._study.deciding.decide import Decision, Tried
    from hetwin_suite._study.runs.run_result import Moment

FOUND = "decision.json"
FUTURES = 32


def decide(
    asked: Asked, library: str, moment: Moment, within: float | None, prior: Path | None
) -> PagedResult:
    """Say which strategy of a library is best from a moment of a run on, and what the others would bring.

    Args:
        asked: what is run, and how many futures each strategy has at most.
        library: YAML file, or name.
        moment: from which on.
        within: wall time after which it is decided [s]; None: without haste.
        prior: what was learned of actions; None: nothing.
    """
    from hetwin_suite._study.deciding.decide import decide as decide_from
    from hetwin_suite._study.deciding.strategies import read_library
    from hetwin_suite._study.experience import read_experience
    from hetwin_suite.running.patience import to_stderr

    experience = read_experience(prior)
    study = asked.study(horizon_s=asked.duration)
    followed(study, lambda done: f"{len(done)} futures")
    decision = decide_from(
        *(study, read_library(library), moment, asked.count or FUTURES),
        within_s=within,
        experience=experience,
    )
    warn_of_lacking(decision.lacking(experience), prior)
    for tried in decision.tried:
        if tried.broken:
            reason = f"{len(tried.broken)} futures: {tried.broken[0].error}"
            to_stderr(f"warning: {tried.name}: {reason}")
    kept = None if asked.out is None else asked.out / FOUND
    code = NOT_KNOWN if decision.chosen is None else 0
    return PagedResult(decision, _lines(decision), code, kept=kept)


def _lines(decision: Decision) -> Iterator[str]:
    """Yield a decision for a person."""
    count = sum(len(one.futures) for one in decision.tried)
    yield (
        f"{count} futures of {len(decision.tried)} strategies from {decision.at_s:.2f} s,"
        f" {decision.processor_s:.2f} s of processor time"
    )
    if decision.chosen is not None:
        yield f"best: {decision.chosen.name}"
    rows = [_row(one) for one in decision.tried]
    yield from table(("strategy", "utility", "interval", "futures", ""), rows)


def _row(one: Tried) -> tuple[str, ...]:
    mean, low, high, of = one.brought
    utility = "" if mean is None else f"{mean:.2f}"
    interval = "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return one.name, utility, interval, f"{of}", "critical" if one.critical else ""
