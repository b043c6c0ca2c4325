"""`hetwin evaluate robustness`: levels of mismatch at which each approach breaks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.robustness.evaluation import Progress, Scope, evaluate_robustness
from hetwin_bauer2022.robustness.findings import Findings
from hetwin_bauer2022.robustness.levels import shown_level
from hetwin_bauer2022.robustness.outputs import (
    NAME,
    as_json,
    page_with_pictures,
    write_csv,
)
from hetwin_bauer2022.robustness.summary import summary_sentence
from hetwin_suite.command import Page, PagedResult, ProgressReminder, to_stderr


def run_robustness(
    scope: Scope, replay: Replay, out: Path, jobs: int | None, *, trust_stored: bool
) -> PagedResult:
    """Make missing verdicts, write the curves, and return the result.

    Args:
        scope: episodes, axes and approaches.
        replay: contact settings and engine.
        out: folder of all files.
        jobs: number of parallel processes; None: one per core.
        trust_stored: whether verdicts made by other versions of the code are valid.

    Raises:
        BadInput: if there are no episodes, or a level is not possible.
    """
    axes = {axis_levels.axis.name: axis_levels.axis for axis_levels in scope.axes}
    patience, activity = ProgressReminder(to_stderr), "reading the episodes"

    def on_start(stored: int, missing: int) -> None:
        nonlocal activity
        to_stderr(f"{stored} verdicts are stored in {out}, {missing} are missing")
        activity = f"0 of {missing} judged"

    def on_verdict(progress: Progress) -> None:
        nonlocal activity
        verdict = progress.verdict
        axis = axes.get(verdict.axis)
        level = f" {verdict.axis} {shown_level(axis, verdict.level)}" if axis else ""
        mark = "right" if verdict.right else "n/a" if verdict.not_applicable else "WRONG"
        subject = f"{verdict.set}/{verdict.name}{level}, {verdict.approach}: {mark}"
        activity = (
            f"{progress.done} of {progress.of} judged, {_duration_text(progress.left_s)} left"
        )
        to_stderr(f"{activity}: {subject}")
        patience.restart()

    def on_picture(done: int, of: int) -> None:
        nonlocal activity
        activity = f"{done} of {of} pictures drawn"

    findings = evaluate_robustness(
        *(scope, replay, out),
        jobs=jobs,
        trust_stored=trust_stored,
        on_start=on_start,
        progress=on_verdict,
        look=lambda: patience.remind(activity),
    )
    write_csv(findings, out)
    activity = "drawing the page"
    page = Page(
        out / f"{NAME}.html",
        lambda: page_with_pictures(findings, replay, out, jobs, on_picture),
        lambda: activity,
    )
    return PagedResult(as_json(findings, out), _lines(findings, out), page=page)


def _duration_text(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{max(minutes, 1)} min"


def _lines(findings: Findings, out: Path) -> Iterator[str]:
    yield summary_sentence(findings.curves)
    for line, points in findings.lines.items():
        axis = findings.axes[line.axis]
        shares = ", ".join(
            f"{shown_level(axis, p.level)} {p.right}/{p.of}"
            for p in sorted(points, key=lambda p: p.level)
        )
        yield f"  {line.axis}, {line.set}, {line.truth}, {line.approach}: {shares}"
    yield f"curves: {out / f'{NAME}.csv'}"
