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
from hetwin_bauer2022.robustness.worth import worth
from hetwin_suite.command import Page, PagedResult, ProgressReminder, to_stderr


def judged_robustness(
    asked: Scope, replay: Replay, out: Path, jobs: int | None, *, trusts: bool
) -> PagedResult:
    """Make missing verdicts, write the curves, and return the result.

    Args:
        asked: episodes, axes and approaches.
        replay: contact settings and engine.
        out: folder of all files.
        jobs: number of parallel processes; None: one per core.
        trusts: whether verdicts made by other versions of the code are valid.

    Raises:
        BadInput: if there are no episodes, or a level is not possible.
    """
    shown = {one.axis.name: one.axis for one in asked.axes}
    patience, doing = ProgressReminder(to_stderr), "reading the episodes"

    def began(kept: int, missing: int) -> None:
        nonlocal doing
        to_stderr(f"{kept} verdicts are kept in {out}, {missing} are to be made")
        doing = f"0 of {missing} judged"

    def judged(progress: Progress) -> None:
        nonlocal doing
        verdict = progress.verdict
        axis = shown.get(verdict.axis)
        level = f" {verdict.axis} {shown_level(axis, verdict.level)}" if axis else ""
        mark = "right" if verdict.right else "n/a" if verdict.not_applicable else "WRONG"
        where = f"{verdict.set}/{verdict.name}{level}, {verdict.approach}: {mark}"
        doing = f"{progress.done} of {progress.of} judged, {_words(progress.left_s)} left"
        to_stderr(f"{doing}: {where}")
        patience.restart()

    def drawn(done: int, of: int) -> None:
        nonlocal doing
        doing = f"{done} of {of} pictures drawn"

    found = evaluate_robustness(
        *(asked, replay, out),
        jobs=jobs,
        trusts=trusts,
        began=began,
        progress=judged,
        look=lambda: patience.remind(doing),
    )
    write_csv(found, out)
    doing = "drawing the page"
    page = Page(
        out / f"{NAME}.html",
        lambda: page_with_pictures(found, replay, out, jobs, drawn),
        lambda: doing,
    )
    return PagedResult(as_json(found, out), _lines(found, out), page=page)


def _words(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{max(minutes, 1)} min"


def _lines(found: Findings, out: Path) -> Iterator[str]:
    yield worth(found.curves)
    for line, points in found.lines.items():
        axis = found.axes[line.axis]
        shares = ", ".join(
            f"{shown_level(axis, p.level)} {p.right}/{p.of}"
            for p in sorted(points, key=lambda p: p.level)
        )
        yield f"  {line.axis}, {line.set}, {line.truth}, {line.approach}: {shares}"
    yield f"curves: {out / f'{NAME}.csv'}"
