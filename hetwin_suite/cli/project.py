"""`hetwin predict` from a scenario's start: many runs with what is uncertain drawn anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hetwin_suite._commands.following import followed
from hetwin_suite._commands.result import Page, PagedResult
from hetwin_suite._commands.tables import table
from hetwin_suite._study.runs.judging import Keep
from hetwin_suite.cli.studying import Asked

if TYPE_CHECKING:
    from hetwin_suite._study.batch import Batch
    from hetwin_suite._study.runs.run_result import RunResult

PAGE, FOUND = "project.html", "project.json"
SAMPLES = 100
ENOUGH = 1000
"""A rule that is never satisfied ends here."""


def project(asked: Asked, until: str | None, keep: Keep) -> PagedResult:
    """Run a scenario many times, and say how likely its outcomes are.

    Args:
        asked: what is run, and how often.
        until: rule that ends it when enough is known; None: none.
        keep: which runs to keep.
    """
    from hetwin_core.episodes.run_folder import new_run_folder
    from hetwin_suite._study.batch import project as run_all
    from hetwin_suite._study.until import read_until
    from hetwin_suite.running.patience import to_stderr

    folder = asked.out or new_run_folder(Path("runs"), f"{Path(asked.scenario).stem}_batch")
    asked = replace(asked, out=folder, options=replace(asked.options, duration=asked.duration))
    study = asked.study(keep=keep)
    most = asked.count or (SAMPLES if until is None else ENOUGH)
    rule = None if until is None else read_until(until, study.scenario.file.outcomes)

    def words(done: Sequence[RunResult]) -> str:
        good = sum(run.succeeded for run in done)
        return f"{len(done)} of {most} runs, {good} of them as wanted"

    followed(study, words)
    if rule is not None and rule.runs is not None:
        to_stderr(f"{rule.text} takes {rule.runs} runs at most; {most} are made at most")
    batch = run_all(study, most, rule)
    failed = all(run.error is not None for run in batch.runs)
    page = Page(folder / PAGE, lambda: _drawn(batch, folder, asked.title))
    return PagedResult(batch, _lines(batch, folder), int(failed), page, folder / FOUND)


def _drawn(batch: Batch, folder: Path, title: str) -> str:
    from hetwin_suite._study.page import batch_page

    return batch_page(batch, folder.resolve(), title)


def _lines(batch: Batch, folder: Path) -> Iterator[str]:
    """Yield what came of a batch for a person."""
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
