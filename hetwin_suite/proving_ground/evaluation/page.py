"""An evaluation's page: Table 2 beside that of Bauer et al. (2022), accuracy over margin, and every wrong verdict."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

import numpy as np

from hetwin_suite.episode import Episode
from hetwin_suite.page import (
    SERIES,
    Document,
    Figure,
    Moment,
    axis,
    card,
    figure,
    line,
    missing,
    stills,
    table,
    write_report,
)
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES, TASKS
from hetwin_suite.proving_ground.evaluation.beside_truth import write_beside_truth
from hetwin_suite.proving_ground.evaluation.judge import Verdict
from hetwin_suite.proving_ground.evaluation.table2 import Cell
from hetwin_suite.proving_ground.evaluation.wrong import (
    TruePath,
    apart_figure,
    decisive_moments,
    reasons,
)
from hetwin_suite.runs import BadInput, seconds

BINS_MM = (-1000, -66, -33, -15, 0, 15, 33, 66, 1000)


def write_page(
    path: Path,
    cells: Sequence[Cell],
    verdicts: Sequence[Verdict],
    logs: dict[tuple[str, str], Path],
    mismatch: str = "",
) -> None:
    """Write the page.

    Args:
        path: of the page.
        cells: of the table.
        verdicts: of all approaches.
        logs: runs of wrong verdicts: (episode, approach) -> folder.
        mismatch: axes and levels with which the episodes were replayed.
    """
    document = Document()
    wrong = [v for v in verdicts if not v.right and not v.not_applicable]
    cards = "".join(_card(document, v, logs.get((v.episode, v.approach)), path) for v in wrong)
    given = f" The twin was given mismatch: {escape(mismatch)}." if mismatch else ""
    body = "".join(
        [
            "<header><h1>hetwin: evaluation</h1></header>",
            card(
                "Verdicts against ground truth",
                f"Right verdicts of all, with the 95 % interval, and what the paper has.{given}",
                _table(cells),
            ),
            card(
                "Accuracy and the margin to the boundary",
                "Share of right verdicts by the distance from the boundary between in and out.",
                document.plot(_margins(verdicts)),
            ),
            card("Wrong verdicts", f"{_count(wrong)} {_left_out()}".strip(), ""),
            f'<div class="cards">{cards}</div>',
        ]
    )
    footer = "Written by hetwin evaluate. What was wrong was run again, with a log."
    path.write_text(document.html("evaluation", body, footer), encoding="utf-8")


def _table(cells: Sequence[Cell]) -> str:
    rows = []
    for scenario in TASKS:
        for truth in ("success", "failure"):
            here = {c.approach: c for c in cells if (c.scenario, c.truth) == (scenario, truth)}
            if here:
                rows.append([scenario, truth, *(_cell(here.get(a)) for a in APPROACHES)])
    return table(["scenario", "truth", *APPROACHES], rows)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    shown, interval, paper = (escape(words) for words in cell.words)
    return f'<b>{shown}</b><br><span class="note">{interval}<br>{paper}</span>'


def _margins(verdicts: Sequence[Verdict]) -> Figure:
    names = [f"{a} to {b}" for a, b in itertools.pairwise(BINS_MM)]
    names[0], names[-1] = f"below {BINS_MM[1]}", f"above {BINS_MM[-2]}"
    traces = []
    for approach, colour in zip(APPROACHES, SERIES, strict=False):
        known = [v for v in verdicts if v.approach == approach and v.margin is not None]
        if known:
            shares = [_share(known, low, high) for low, high in itertools.pairwise(BINS_MM)]
            trace = line([], shares, approach, colour, connectgaps=False)
            traces.append({**trace, "x": names, "mode": "lines+markers"})
    return figure(
        traces,
        340,
        xaxis={"title": {"text": "margin [mm]"}, "type": "category", "automargin": True},
        yaxis={**axis("share right"), "range": [-0.04, 1.04], "tickformat": ".0%"},
    )


def _share(verdicts: Sequence[Verdict], low: float, high: float) -> float:
    """Not a number if none has such a margin [mm]."""
    here = [v.right for v in verdicts if v.margin is not None and low <= 1e3 * v.margin < high]
    return sum(here) / len(here) if here else np.nan


def _count(wrong: Sequence[Verdict]) -> str:
    return f"There are {len(wrong)}." if wrong else "There are none."


def _left_out() -> str:
    """Why there are no pictures; empty if there are."""
    reason = missing()
    return f"{reason[:1].upper()}{reason[1:]}." if reason else ""


def _card(document: Document, verdict: Verdict, log: Path | None, path: Path) -> str:
    said = {True: "success", False: "failure", None: "nothing: the run failed"}[verdict.success]
    truth = "success" if verdict.truth else f"failure ({verdict.cause})"
    name = f"{Path(verdict.episode).name}, {verdict.approach}"
    heading = f"{name}: said {said}, was {truth}"
    shown, why = "", ""
    if log is not None:
        shown, why = _explained(document, Path(verdict.episode), log)
        why += _played(Path(verdict.episode), log, path, heading)
    return (
        f'<section class="card bad">{shown}<div class="text"><h3>{escape(name)}</h3>'
        f"said {said}, was {escape(truth)}{why}"
        f'<p class="note">{escape(verdict.why)}</p></div></section>'
    )


def _explained(document: Document, folder: Path, log: Path) -> tuple[str, str]:
    """Pictures, and why the verdict is wrong."""
    episode, truth = Episode.open(log), TruePath.of(folder)
    if truth is None or not episode.layout.has(truth.thing, "pose"):
        return _figures(episode, [Moment(episode.end_ns, "the end")]), ""
    items = "".join(f"<li>{escape(words)}</li>" for words in reasons(episode, truth))
    drawn = _figures(episode, decisive_moments(episode, truth.thing))
    return drawn, f"<ul>{items}</ul>{document.plot(apart_figure(episode, truth))}"


def _played(folder: Path, log: Path, path: Path, heading: str) -> str:
    """A link to a page with the run, the truth in it where it is known; empty if there can be none."""
    episode, truth = Episode.open(log), TruePath.of(folder)
    try:
        if truth is None or not episode.layout.has(truth.thing, "pose"):
            target, words = write_report(log), "Play the run"
        else:
            target, words = write_beside_truth(episode, truth, heading), "Play it beside the truth"
    except BadInput as error:  # the script of the pages was not made
        return f'<p class="note">{escape(str(error))}</p>'
    link = quote(os.path.relpath(target, path.parent))
    return f'<p><a href="{escape(link)}">{words}</a></p>'


def _figures(episode: Episode, moments: Sequence[Moment]) -> str:
    """Pictures, if they can be drawn."""
    if missing():
        return ""
    items = "".join(
        f'<figure><img alt="{escape(one.what)}" src="data:image/png;base64,{one.png}">'
        f"<figcaption>{seconds(one.time_ns)}: {escape(one.what)}</figcaption></figure>"
        for one in stills(episode, moments)
    )
    return f'<div class="pictures">{items}</div>' if items else ""
