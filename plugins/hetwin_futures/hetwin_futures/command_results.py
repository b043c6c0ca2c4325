"""Results shared by the commands that make many runs: `hetwin predict` from the start, and with strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hetwin_suite.command import NOT_KNOWN, Page, PagedResult, follow_study, table

if TYPE_CHECKING:
    from hetwin_futures.batch import Batch
    from hetwin_futures.deciding import Decision, StrategyResult
    from hetwin_suite.study import Moment, RunResult, Study


def warn_about_missing_experience(operations: Sequence[str], prior: Path | None) -> None:
    """Warn of operations for which the file of `--prior` has rows, but none with these arguments."""
    from hetwin_suite.command import to_stderr

    for operation in operations:
        to_stderr(f"warning: {prior} says nothing about {operation} with these arguments")


BATCH_PAGE, BATCH = "project.html", "project.json"
SAMPLES = 100
ENOUGH = 1000
"""Largest number of runs with `--until`, for rules that are never met."""


def project(
    study: Study, count: int | None, until: str | None, folder: Path, title: str
) -> PagedResult:
    """Run a scenario many times, and estimate the probabilities of its outcomes.

    Args:
        study: makes the runs.
        count: number of runs; None: the default.
        until: stopping rule, see `read_until`; None: none.
        folder: folder of the study.
        title: title of the page.
    """
    from hetwin_futures.batch import project as run_all
    from hetwin_futures.until import read_until
    from hetwin_suite.command import to_stderr

    most = count or (SAMPLES if until is None else ENOUGH)
    rule = None if until is None else read_until(until, study.scenario.file.outcomes)

    def words(done: Sequence[RunResult]) -> str:
        good = sum(run.succeeded for run in done)
        return f"{len(done)} of {most} runs, {good} of them as wanted"

    follow_study(study, words)
    if rule is not None and rule.runs is not None:
        to_stderr(f"{rule.text} takes {rule.runs} runs at most; {most} are made at most")
    batch = run_all(study, most, rule)
    failed = all(run.error is not None for run in batch.runs)
    page = Page(folder / BATCH_PAGE, lambda: _batch_page(batch, folder, title))
    return PagedResult(batch, _batch_lines(batch, folder), int(failed), page, folder / BATCH)


def _batch_page(batch: Batch, folder: Path, title: str) -> str:
    from hetwin_futures.batch_page import batch_page

    return batch_page(batch, folder.resolve(), title)


def _batch_lines(batch: Batch, folder: Path) -> Iterator[str]:
    """Yield a batch as lines of text."""
    ended = ", enough is known" if batch.stopped else ""
    yield f"{len(batch.runs)} runs, {batch.runs_per_minute:.0f} a minute{ended}"
    if batch.outcomes:
        shares = [
            (name, f"{s.yes} of {s.of}", f"{s.low:.2f} to {s.high:.2f}")
            for name, s in batch.outcomes.items()
        ]
        yield from table(("outcome", "came about", "probability"), shares)
    if batch.flaws:
        yield from table(
            ("flaw", "runs"), [(kind, str(runs)) for kind, runs in batch.flaws.items()]
        )
    if batch.related:
        strengths = [(name, f"{strength:.2f}") for name, strength in batch.related]
        yield from table(("goes with failure", "strength"), strengths)
    for run in batch.runs:
        if run.error is not None:
            yield f"run {run.index} failed: {run.error}"
    yield f"runs: {folder / 'runs'}"


DECISION = "decision.json"
STRATEGY_FUTURES = 32


def decide(
    study: Study,
    count: int | None,
    library: str,
    moment: Moment,
    within: float | None,
    prior: Path | None,
) -> PagedResult:
    """Choose the best strategy of a library from a moment of a run on, and compare it with the others.

    Args:
        study: makes the runs.
        count: largest number of futures of each strategy; None: the default.
        library: path of a YAML file, or name of a library of hetwin.
        moment: start of the futures.
        within: wall time in s after which the decision is made; None: no limit.
        prior: file with success rates of actions; None: none.
    """
    from hetwin_futures.deciding import decide as decide_from
    from hetwin_futures.strategies import read_library
    from hetwin_futures.successes import read_experience
    from hetwin_suite.command import to_stderr

    experience = read_experience(prior)
    follow_study(study, lambda done: f"{len(done)} futures")
    decision = decide_from(
        *(study, read_library(library), moment, count or STRATEGY_FUTURES),
        within_s=within,
        experience=experience,
    )
    warn_about_missing_experience(decision.lacking(experience), prior)
    for result in decision.tried:
        if result.broken:
            reason = f"{len(result.broken)} futures: {result.broken[0].error}"
            to_stderr(f"warning: {result.name}: {reason}")
    kept = None if study.out is None else study.out / DECISION
    code = NOT_KNOWN if decision.chosen is None else 0
    return PagedResult(decision, _decision_lines(decision), code, kept=kept)


def _decision_lines(decision: Decision) -> Iterator[str]:
    """Yield a decision as lines of text."""
    count = sum(len(one.futures) for one in decision.tried)
    yield (
        f"{count} futures of {len(decision.tried)} strategies from {decision.at_s:.2f} s,"
        f" {decision.processor_s:.2f} s of processor time"
    )
    if decision.chosen is not None:
        yield f"best: {decision.chosen.name}"
    rows = [_strategy(one) for one in decision.tried]
    yield from table(("strategy", "utility", "interval", "futures", ""), rows)


def _strategy(one: StrategyResult) -> tuple[str, ...]:
    mean, low, high, of = one.brought
    utility = "" if mean is None else f"{mean:.2f}"
    interval = "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return one.name, utility, interval, f"{of}", "critical" if one.critical else ""
