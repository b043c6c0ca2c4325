"""The page of an evaluation: Table 2 beside that of Bauer et al. (2022), accuracy by margin, and wrong verdicts."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_bauer2022.evaluation.approaches import APPROACHES, TASKS
from hetwin_bauer2022.evaluation.beside_truth import write_beside_truth
from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_bauer2022.evaluation.table2 import Cell
from hetwin_bauer2022.evaluation.wrong import (
    TruePath,
    apart_figure,
    decisive_moments,
    reasons,
)
from hetwin_stills import Moment, missing_packages, stills
from hetwin_suite.episode import Episode
from hetwin_suite.page import (
    SERIES,
    Axis,
    Card,
    Cards,
    Chart,
    Content,
    Document,
    Inline,
    Items,
    Line,
    Lines,
    Link,
    Panel,
    Paragraph,
    Picture,
    PointStyle,
    Quiet,
    Section,
    Strong,
    Table,
    write_report,
)
from hetwin_suite.runs import BadInput, seconds

BINS_MM = (-1000, -66, -33, -15, 0, 15, 33, 66, 1000)


def evaluation_page(
    out: Path,
    cells: Sequence[Cell],
    verdicts: Sequence[Verdict],
    logs: dict[tuple[str, str], Path],
    mismatch: str = "",
) -> str:
    """Return the page of an evaluation as HTML.

    Args:
        out: folder of the page.
        cells: cells of the table.
        verdicts: verdicts of all approaches.
        logs: (episode, approach) of a wrong verdict -> folder of its run.
        mismatch: axes and levels of the replay.
    """
    wrong = [v for v in verdicts if not v.right and not v.not_applicable]
    given = f" The twin was given mismatch: {mismatch}." if mismatch else ""
    return Document(
        "evaluation",
        [
            Section(
                "Verdicts against ground truth",
                f"Right verdicts of all, with the 95 % interval, and what the paper has.{given}",
                _table(cells),
            ),
            Section(
                "Accuracy and the margin to the boundary",
                "Share of right verdicts by the distance from the boundary between in and out.",
                _margins(verdicts),
            ),
            Section("Wrong verdicts", f"{_count(wrong)} {_left_out()}".strip()),
            Cards([_card(v, logs.get((v.episode, v.approach)), out) for v in wrong]),
        ],
        heading="hetwin: evaluation",
        footer="Written by hetwin evaluate. What was wrong was run again, with a log.",
    ).html()


def _table(cells: Sequence[Cell]) -> Table:
    rows: list[list[Inline]] = []
    for scenario in TASKS:
        for truth in ("success", "failure"):
            here = {c.approach: c for c in cells if (c.scenario, c.truth) == (scenario, truth)}
            if here:
                rows.append([scenario, truth, *(_cell(here.get(a)) for a in APPROACHES)])
    return Table(["scenario", "truth", *APPROACHES], rows)


def _cell(cell: Cell | None) -> Inline:
    if cell is None:
        return "-"
    shown, interval, paper = cell.words
    return Lines([Strong(shown), Quiet(interval), Quiet(paper)])


def _margins(verdicts: Sequence[Verdict]) -> Chart:
    names = [f"{a} to {b}" for a, b in itertools.pairwise(BINS_MM)]
    names[0], names[-1] = f"below {BINS_MM[1]}", f"above {BINS_MM[-2]}"
    lines = []
    for approach, colour in zip(APPROACHES, SERIES, strict=False):
        known = [v for v in verdicts if v.approach == approach and v.margin is not None]
        if known:
            shares = [_share(known, low, high) for low, high in itertools.pairwise(BINS_MM)]
            points = [PointStyle.CIRCLE]
            lines.append(
                Line(approach, range(len(names)), shares, colour, "%", decimals=1, points=points)
            )
    x = Axis("margin [mm]", (-0.3, len(names) - 0.7), ticks=list(enumerate(names)))
    y = Axis("share right", (-0.04, 1.04), percent=True)
    return Chart([Panel(lines, y)], x=x, height=250)


def _share(verdicts: Sequence[Verdict], low: float, high: float) -> float:
    """Return the share of right verdicts with a margin in [low, high) [mm]; NaN without any."""
    here = [v.right for v in verdicts if v.margin is not None and low <= 1e3 * v.margin < high]
    return sum(here) / len(here) if here else np.nan


def _count(wrong: Sequence[Verdict]) -> str:
    return f"There are {len(wrong)}." if wrong else "There are none."


def _left_out() -> str:
    """Return why there are no pictures; empty if they can be drawn."""
    reason = missing_packages()
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""


def _card(verdict: Verdict, log: Path | None, out: Path) -> Card:
    said = {True: "success", False: "failure", None: "nothing: the run failed"}[verdict.success]
    truth = "success" if verdict.truth else f"failure ({verdict.cause})"
    name = f"{Path(verdict.episode).name}, {verdict.approach}"
    content: list[Content] = [f"said {said}, was {truth}"]
    pictures: Sequence[Picture] = ()
    if log is not None:
        pictures, why = _explained(Path(verdict.episode), log)
        heading = f"{name}: said {said}, was {truth}"
        content += [*why, _played(Path(verdict.episode), log, out, heading)]
    return Card(name, "bad", pictures, [*content, Paragraph(verdict.why, "note")])


def _explained(folder: Path, log: Path) -> tuple[Sequence[Picture], list[Content]]:
    """Return pictures, and reasons for the wrong verdict."""
    episode, truth = Episode.open(log), TruePath.of(folder)
    if truth is None or not episode.layout.has(truth.thing, "pose"):
        return _pictures(episode, [Moment(episode.end_ns, "the end")]), []
    drawn = _pictures(episode, decisive_moments(episode, truth.thing))
    return drawn, [Items(reasons(episode, truth)), apart_figure(episode, truth)]


def _played(folder: Path, log: Path, out: Path, heading: str) -> Content:
    """Return a link to a page of the run, with the true path if known; or the reason why there is none."""
    episode, truth = Episode.open(log), TruePath.of(folder)
    try:
        if truth is None or not episode.layout.has(truth.thing, "pose"):
            target, words = write_report(log), "Play the run"
        else:
            target, words = write_beside_truth(episode, truth, heading), "Play it beside the truth"
    except BadInput as error:  # the script of the pages was not made
        return Paragraph(str(error), "note")
    return Paragraph(Link(os.path.relpath(target, out), words))


def _pictures(episode: Episode, moments: Sequence[Moment]) -> Sequence[Picture]:
    """Return pictures; empty if they cannot be drawn."""
    if missing_packages():
        return ()
    return [
        Picture(one.png, f"{seconds(one.time_ns)}: {one.caption}")
        for one in stills(episode, moments)
    ]
