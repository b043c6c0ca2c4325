"""The outcome of a run, as `hetwin run` prints it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.reporting.summary import error_row
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.event_codec import event_from_summary
from hetwin_core.ensemble.words import event_line, failure_row_words
from hetwin_core.projection.run_folder import LOG
from hetwin_suite.running.ended import Ended


def without_a_run(scenario: str, error: HetwinError) -> dict[str, Any]:
    """The outcome as JSON if an error kept the run from having a summary."""
    return {"scenario": scenario, "ended": "failed", "error": _row(error)}


def _row(error: HetwinError) -> Mapping[str, Any]:
    if isinstance(error, RunFailed):
        return error_row(error) or {}
    return {"model": None, "call": "input", "time": 0.0, "reason": str(error)}


def report(folder: Path) -> Path | None:
    """The page, if the run got as far as a log."""
    if not (folder / LOG).exists():
        return None
    from hetwin_core.projection.report import write_report

    try:
        return write_report(folder)
    except Exception as error:  # a run that went well must not fail for want of its page
        print(f"warning: no report: {error}", file=sys.stderr)
        return None


def as_json(ended: Ended, page: Path | None) -> dict[str, Any]:
    """The summary, and where log and page are."""
    log = ended.folder / LOG
    return {
        **ended.summary,
        "log": str(log.resolve()) if log.exists() else None,
        "report": str(page.resolve()) if page else None,
    }


def show(ended: Ended, page: Path | None) -> None:
    """Print the outcome for a person."""
    summary = ended.summary
    error = summary["error"]
    print(f"{summary['scenario']}: {summary['ended']}", end="")
    print(
        f", {summary['simulated_time']:.2f} s simulated in {summary['wall_time']:.2f} s"
        f" (real-time factor {summary['real_time_factor']:.1f})"
    )
    for event in summary["events"]:
        if event["kind"] == "model":
            print(f"  {event['time']:8.3f} s  {event_line(event_from_summary(event))}")
    for name, value in summary["state"].items():
        print(f"  {name}: {str(value).lower()}")
    for failure in summary["failures"]:
        print(f"error: {failure_row_words(failure)}; {failure['then']}", file=sys.stderr)
    print(f"  log: {ended.folder / LOG}")
    if page:
        print(f"  report: {page}")
    if error:
        print(f"error: {failure_row_words(error)}", file=sys.stderr)
