"""The page of a batch: how likely its outcomes are, its flaws, what goes with failure, and a run of each kind."""

from __future__ import annotations

from html import escape
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.writing import write_atomically
from hetwin_suite.futures.batch import Batch
from hetwin_suite.futures.page.kinds import Kind, kinds_of
from hetwin_suite.futures.page.pictures import run_pictures
from hetwin_suite.futures.page.plots import inputs, over_runs
from hetwin_suite.view.report.document import Document, card, folded
from hetwin_suite.view.report.sections import table

NAME = "project.html"
MOST_KINDS = 6
"""Kinds of runs that are shown by pictures; the others are counted only."""


def write_page(batch: Batch, out: Path, scenario: str) -> Path:
    """Write the page into the batch's folder.

    Args:
        batch: what came of the runs.
        out: the folder.
        scenario: its name, with the variant.
    """
    document = Document()
    kinds = kinds_of(batch.runs)
    body = "".join(
        [
            f"<header><h1>hetwin: {escape(scenario)}, {_count(batch)}</h1></header>",
            _outcomes(document, batch),
            _flaws(batch),
            _related(document, batch),
            _kinds(kinds, out),
            card("Runs", "", folded(f"all {len(batch.runs)}", _runs(batch, out))),
        ]
    )
    footer = "Written by hetwin predict."
    path = out / NAME
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, document.html(scenario, body, footer))
    return path


def _count(batch: Batch) -> str:
    ended = ", enough is known" if batch.stopped else ""
    return f"{len(batch.runs)} runs with what is uncertain drawn anew{ended}"


def _outcomes(document: Document, batch: Batch) -> str:
    if not batch.outcomes:
        return card("Outcomes", "", "The scenario names none, under the key <code>outcomes</code>.")
    rows = [
        [
            escape(name),
            f"{found.yes} of {found.of}",
            f"<b>{found.yes / found.of:.0%}</b>",
            f"{found.low:.0%} to {found.high:.0%}",
        ]
        for name, found in batch.outcomes.items()
    ]
    told = table(["outcome", "came about", "share", "probability"], rows)
    how = (
        "The probability lies between these bounds at a confidence of 95 %, however often one looks."
        " The bands show them as they became known."
    )
    return card("Outcomes", how, told + document.plot(over_runs(batch)))


def _flaws(batch: Batch) -> str:
    if not batch.flaws:
        return card("Flaws", "", "None was found in any run.")
    rows = [
        [escape(kind.replace("_", " ")), f"{count}", f"{count / len(batch.runs):.0%}"]
        for kind, count in batch.flaws.items()
    ]
    return card("Flaws", "In how many runs each was found.", table(["flaw", "runs", "share"], rows))


def _related(document: Document, batch: Batch) -> str:
    strengths = [[escape(name), f"{strength:.2f}"] for name, strength in batch.related]
    told = (
        table(["input", "strength"], strengths)
        if strengths
        else "<p>No input goes with failure more than chance would make it.</p>"
    )
    how = "How well each input tells the runs that were not as wanted from the others: 0 not at all, 1 exactly."
    shown = inputs(batch)
    return card("What goes with failure", how, told + (document.plot(shown) if shown else ""))


def _kinds(kinds: list[Kind], out: Path) -> str:
    cards = "".join(_kind(kind, out) for kind in kinds[:MOST_KINDS])
    left = sum(len(kind.runs) for kind in kinds[MOST_KINDS:])
    rest = f" {left} more runs are of {len(kinds) - MOST_KINDS} further kinds." if left else ""
    told = f"Runs with the same outcomes and flaws; one of each is shown.{rest}"
    return card("Kinds of runs", told, "") + f'<div class="cards">{cards}</div>'


def _kind(kind: Kind, out: Path) -> str:
    shown = next((run for run in kind.runs if run.folder is not None), kind.runs[0])
    count = f"{len(kind.runs)} run{'' if len(kind.runs) == 1 else 's'}"
    tone = "good" if kind.is_good else "bad"
    pictures = "" if shown.folder is None else _pictures(Path(shown.folder))
    where = (
        "not kept"
        if shown.folder is None
        else f"<code>{escape(_relative(shown.folder, out))}</code>"
    )
    why = f'<p class="note">{escape(shown.error)}</p>' if shown.error else ""
    return (
        f'<section class="card {tone}">{pictures}<div class="text"><h3>{escape(kind.words)}</h3>'
        f"{count}; shown is run {shown.index}, {where}{why}</div></section>"
    )


def _pictures(run: Path) -> str:
    try:
        return run_pictures(run)
    except BadInput as error:  # a run that failed early has nothing to be seen
        return f'<p class="note">no picture: {escape(str(error))}</p>'


def _runs(batch: Batch, out: Path) -> str:
    rows = [
        [
            str(run.index),
            escape(", ".join(name for name, value in run.outcomes.items() if value is True) or "-"),
            escape(run.error or ", ".join(run.flaws).replace("_", " ") or "-"),
            escape("-" if run.folder is None else _relative(run.folder, out)),
        ]
        for run in batch.runs
    ]
    return table(["run", "came about", "flaws, or why it failed", "folder"], rows, number=0)


def _relative(folder: str, out: Path) -> str:
    path = Path(folder)
    root = out.resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else folder
