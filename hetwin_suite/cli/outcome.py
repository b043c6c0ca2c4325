"""The outcome of a run, as `hetwin run` prints it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.base_events import QUIET_EVENTS
from hetwin_core.ensemble.concern_words import (
    JUDGED,
    coverage_words,
    grip_sentences,
)
from hetwin_core.ensemble.conductor.reporting.concerns import Severity, Verdict, is_concern
from hetwin_core.ensemble.conductor.reporting.coverage import parse_claims, unmet_claims
from hetwin_core.ensemble.events import EventKind, event_from_summary
from hetwin_core.ensemble.state_words import state_words
from hetwin_core.ensemble.words import event_line, failure_row_words, seconds
from hetwin_core.episodes.run_folder import CHECKPOINT, LOG, REPORT
from hetwin_suite._commands.result import Page, figures_of
from hetwin_suite.running.request import FinishedRun


def page_of(folder: Path) -> Page | None:
    """Return the page of a run; None if the run has no log. Failing to draw it is not an error."""
    if not (folder / LOG).exists():
        return None

    def draw() -> str:
        from hetwin_suite.view.report import report_page

        return report_page(folder)

    return Page(folder / REPORT, draw, matters=False)


def checkpoint_of(folder: Path) -> dict[str, str]:
    """Return {"checkpoint": path} if the run has written a checkpoint, otherwise an empty dict."""
    path = folder / CHECKPOINT
    return {"checkpoint": str(path.resolve())} if path.exists() else {}


def document(ended: FinishedRun) -> dict[str, Any]:
    """Return the JSON of a run: its summary, figures of packages, and the path of its log."""
    log = ended.folder / LOG
    return {
        **ended.summary,
        **checkpoint_of(ended.folder),
        **{found.name: found.values for found in figures_of(ended.summary.get("events", ()))},
        "log": str(log.resolve()) if log.exists() else None,
    }


def one_screen() -> bool:
    """Whether stdout and stderr are the same terminal or file, so that progress on stderr need not be repeated."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return False


def lines(ended: FinishedRun, *, events: bool = True) -> Iterator[str]:
    """Yield the outcome for a person; failures are printed on stderr.

    Args:
        ended: the run.
        events: whether to list the events; not needed if the user has seen them in the progress.
    """
    summary = ended.summary
    error = summary["error"]
    yield (
        f"{summary['scenario']}: {summary['ended']}"
        f", {summary['simulated_time']:.2f} s simulated in {summary['wall_time']:.2f} s"
        f" (real-time factor {summary['real_time_factor']:.1f})"
    )
    figures = list(figures_of(summary["events"]))
    if events:
        routine = QUIET_EVENTS.union(
            {JUDGED}, *(package_figures.routine for package_figures in figures)
        )
        yield from _event_lines(summary["events"], routine)
    counted = [line for package_figures in figures for line in package_figures.lines]
    sentences = (*counted, *state_words(summary["state"]), *grip_sentences(summary["events"]))
    yield from (f"  {sentence}" for sentence in sentences)
    for failure in summary["failures"]:
        print(f"error: {failure_row_words(failure)}; {failure['then']}", file=sys.stderr)
    yield f"  log: {ended.folder / LOG}"
    for path in checkpoint_of(ended.folder).values():
        yield f"  checkpoint: {path}"
    yield from _verdict(summary)
    if error:
        print(f"error: {failure_row_words(error)}", file=sys.stderr)


def is_fine(ended: FinishedRun) -> bool:
    """Whether the verdict of the run is fine."""
    return str(ended.summary.get("verdict")) == Verdict.FINE


def missed_claims(ended: FinishedRun, required: Sequence[str]) -> list[str]:
    """Describe the required claims that were not checked or do not hold.

    Args:
        ended: the run.
        required: names of claims.
    """
    return [claim.text for claim in unmet_claims(ended.summary.get("coverage", ()), required)]


def _event_lines(rows: Sequence[Mapping[str, Any]], routine: frozenset[str]) -> Iterator[str]:
    """Yield a line for each event of a model; equal events in a row share one line with a count.

    Concerns are omitted, as they are listed with the verdict.

    Args:
        rows: the events.
        routine: names of events that are not printed.
    """
    happened = [event_from_summary(row) for row in rows if row["kind"] == EventKind.MODEL]
    shown = [e for e in happened if not is_concern(e) and e.name not in routine and event_line(e)]
    shown.sort(key=lambda event: event.time_ns)  # some events are detected after later ones
    for text, group in groupby(shown, key=event_line):
        events = list(group)
        count = len(events) - 1
        more = f" ({count} more until {seconds(events[-1].time_ns, 3)})" if count else ""
        yield f"  {events[0].time_ns / 1e9:8.3f} s  {text}{more}"


def _verdict(summary: Mapping[str, Any]) -> Iterator[str]:
    """Yield the verdict with its coverage, then the concerns."""
    if "coverage" not in summary:
        return  # written by an older version, whose verdict had another meaning
    rows = summary.get("concerns", ())
    counted = Counter(row["severity"] for row in rows)
    known = [s for s in reversed(Severity) if counted[s]]
    parts = [", ".join(f"{counted[s]} {_plural(s, counted[s])}" for s in known)] if known else []
    parts.append(coverage_words(summary["coverage"]))
    yield f"  {summary['verdict']}: {'; '.join(parts)}"
    for row in rows:
        until = f" to {row['to']:.3f} s" if row["to"] > row["from"] else ""
        times = f" ({row['count']} times)" if row["count"] > 1 else ""
        yield f"    {row['severity']}: {row['text']}{times}, {row['from']:.3f} s{until}"


def _plural(severity: Severity, count: int) -> str:
    if severity is Severity.ABSURD:
        return "absurd"
    return severity.value if count == 1 else f"{severity.value}s"


def required_claims(text: str) -> tuple[str, ...]:
    """Return the claims of a comma-separated list of names in singular or plural; empty for an empty text.

    Raises:
        BadInput: if there is no such claim.
    """
    return parse_claims([word.strip() for word in text.split(",") if word.strip()], "--require")
