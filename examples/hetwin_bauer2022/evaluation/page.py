"""The page of an evaluation: Table 2 beside that of Bauer et al. (2022), accuracy by margin, and wrong verdicts."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_bauer2022.evaluation.approaches import APPROACHES, TASKS
from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_bauer2022.evaluation.table2 import Cell
from hetwin_bauer2022.evaluation.truth_page import write_truth_page
from hetwin_bauer2022.evaluation.wrong_verdicts import (
    TruePath,
    decisive_moments,
    distance_figure,
    explain,
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
    mismatch_sentence = f" The twin was given mismatch: {mismatch}." if mismatch else ""
    return Document(
        "evaluation",
        [
            Section(
                "Verdicts against ground truth",
                f"Right verdicts out of all, with the 95 % interval, and the paper's figures.{mismatch_sentence}",
                _table(cells),
            ),
            Section(
                "Accuracy and the margin to the boundary",
                "Share of right verdicts by the distance from the boundary between in and out.",
                _margins(verdicts),
            ),
            Section("Wrong verdicts", f"{_count(wrong)} {_why_no_pictures()}".strip()),
            Cards([_card(v, logs.get((v.episode, v.approach)), out) for v in wrong]),
        ],
        heading="hetwin: evaluation",
        footer="Written by hetwin evaluate. Runs with wrong verdicts were repeated with a log.",
    ).html()


def _table(cells: Sequence[Cell]) -> Table:
    rows: list[list[Inline]] = []
    for scenario in TASKS:
        for truth in ("success", "failure"):
            by_approach = {
                c.approach: c for c in cells if (c.scenario, c.truth) == (scenario, truth)
            }
            if by_approach:
                rows.append([scenario, truth, *(_cell(by_approach.get(a)) for a in APPROACHES)])
    return Table(["scenario", "truth", *APPROACHES], rows)


def _cell(cell: Cell | None) -> Inline:
    if cell is None:
        return "-"
    share_text, interval, paper = cell.words
    return Lines([Strong(share_text), Quiet(interval), Quiet(paper)])


def _margins(verdicts: Sequence[Verdict]) -> Chart:
    names = [f"{a} to {b}" for a, b in itertools.pairwise(BINS_MM)]
    names[0], names[-1] = f"below {BINS_MM[1]}", f"above {BINS_MM[-2]}"
    lines = []
    for approach, colour in zip(APPROACHES, SERIES, strict=False):
        with_margin = [v for v in verdicts if v.approach == approach and v.margin is not None]
        if with_margin:
            shares = [
                _share_right(with_margin, low, high) for low, high in itertools.pairwise(BINS_MM)
            ]
            points = [PointStyle.CIRCLE]
            lines.append(
                Line(approach, range(len(names)), shares, colour, "%", decimals=1, points=points)
            )
    x = Axis("margin [mm]", (-0.3, len(names) - 0.7), ticks=list(enumerate(names)))
    y = Axis("share right", (-0.04, 1.04), percent=True)
    return Chart([Panel(lines, y)], x=x, height=250)


def _share_right(verdicts: Sequence[Verdict], low: float, high: float) -> float:
    """Return the share of right verdicts with a margin in [low, high) [mm]; NaN without any."""
    in_bin = [v.right for v in verdicts if v.margin is not None and low <= 1e3 * v.margin < high]
    return sum(in_bin) / len(in_bin) if in_bin else np.nan


def _count(wrong: Sequence[Verdict]) -> str:
    return f"There are {len(wrong)}." if wrong else "There are none."


def _why_no_pictures() -> str:
    """Return why there are no pictures; empty if they can be drawn."""
    reason = missing_packages()
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""


def _card(verdict: Verdict, log: Path | None, out: Path) -> Card:
    verdict_text = {True: "success", False: "failure", None: "nothing: the run failed"}[
        verdict.success
    ]
    truth = "success" if verdict.truth else f"failure ({verdict.cause})"
    name = f"{Path(verdict.episode).name}, {verdict.approach}"
    content: list[Content] = [f"said {verdict_text}, was {truth}"]
    pictures: Sequence[Picture] = ()
    if log is not None:
        pictures, why = _explanation(Path(verdict.episode), log)
        heading = f"{name}: said {verdict_text}, was {truth}"
        content += [*why, _run_link(Path(verdict.episode), log, out, heading)]
    return Card(name, "bad", pictures, [*content, Paragraph(verdict.why, "note")])


def _explanation(folder: Path, log: Path) -> tuple[Sequence[Picture], list[Content]]:
    """Return pictures, and reasons for the wrong verdict."""
    episode, truth = Episode.open(log), TruePath.of(folder)
    if truth is None or not episode.layout.has(truth.thing, "pose"):
        return _pictures(episode, [Moment(episode.end_ns, "the end")]), []
    drawn = _pictures(episode, decisive_moments(episode, truth.thing))
    return drawn, [Items(explain(episode, truth)), distance_figure(episode, truth)]


def _run_link(folder: Path, log: Path, out: Path, heading: str) -> Content:
    """Return a link to a page of the run, with the true path if known; or the reason why there is none."""
    episode, truth = Episode.open(log), TruePath.of(folder)
    try:
        if truth is None or not episode.layout.has(truth.thing, "pose"):
            target, link_text = write_report(log), "Play the run"
        else:
            target, link_text = (
                write_truth_page(episode, truth, heading),
                "Play it beside the truth",
            )
    except BadInput as error:  # the script of the pages was not built
        return Paragraph(str(error), "note")
    return Paragraph(Link(os.path.relpath(target, out), link_text))


def _pictures(episode: Episode, moments: Sequence[Moment]) -> Sequence[Picture]:
    """Return pictures; empty if they cannot be drawn."""
    if missing_packages():
        return ()
    return [
        Picture(still.png, f"{seconds(still.time_ns)}: {still.caption}")
        for still in stills(episode, moments)
    ]
