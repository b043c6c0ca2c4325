"""The page of a batch: how likely its outcomes are, its flaws, what goes with failure, and a run of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._study.batch import Batch
from hetwin_suite._study.page.kinds import Kind, kinds_of
from hetwin_suite._study.page.pictures import run_pictures
from hetwin_suite._study.page.plots import inputs, over_runs
from hetwin_suite.view.content import (
    Card,
    Cards,
    Code,
    Content,
    Fold,
    Inline,
    Paragraph,
    Picture,
    Section,
    Strong,
    Table,
)
from hetwin_suite.view.document import Document
from hetwin_suite.view.stills.graphics import NoGraphics

MOST_KINDS = 6
"""Kinds of runs that are shown by pictures; the others are counted only."""


def batch_page(batch: Batch, out: Path, scenario: str) -> str:
    """Return the page.

    Args:
        batch: what came of the runs.
        out: the folder of the page.
        scenario: its name, with the variant.
    """
    return Document(
        scenario,
        [
            _outcomes(batch),
            _flaws(batch),
            _related(batch),
            *_kinds(kinds_of(batch.runs), out),
            Section("Runs", content=Fold(f"all {len(batch.runs)}", _runs(batch, out))),
        ],
        heading=f"hetwin: {scenario}, {_count(batch)}",
        footer="Written by hetwin predict.",
    ).html()


def _count(batch: Batch) -> str:
    ended = ", enough is known" if batch.stopped else ""
    return f"{len(batch.runs)} runs with what is uncertain drawn anew{ended}"


def _outcomes(batch: Batch) -> Section:
    if not batch.outcomes:
        none = "The scenario names none, under the key ", Code("outcomes"), "."
        return Section("Outcomes", content=none)
    rows: list[list[Inline]] = [
        [
            name,
            f"{found.yes} of {found.of}",
            Strong(f"{found.yes / found.of:.0%}"),
            f"{found.low:.0%} to {found.high:.0%}",
        ]
        for name, found in batch.outcomes.items()
    ]
    told = Table(["outcome", "came about", "share", "probability"], rows)
    how = (
        "The probability lies between these bounds at a confidence of 95 %, however often one looks."
        " The bands show them as they became known."
    )
    return Section("Outcomes", how, [told, over_runs(batch)])


def _flaws(batch: Batch) -> Section:
    if not batch.flaws:
        return Section("Flaws", content="None was found in any run.")
    rows = [
        [kind.replace("_", " "), f"{count}", f"{count / len(batch.runs):.0%}"]
        for kind, count in batch.flaws.items()
    ]
    found = Table(["flaw", "runs", "share"], rows)
    return Section("Flaws", "In how many runs each was found.", found)


def _related(batch: Batch) -> Section:
    strengths = [[name, f"{strength:.2f}"] for name, strength in batch.related]
    told: Content = Paragraph("No input goes with failure more than chance would make it.")
    if strengths:
        told = Table(["input", "strength"], strengths)
    how = "How well each input tells the runs that were not as wanted from the others: 0 not at all, 1 exactly."
    shown = inputs(batch)
    return Section("What goes with failure", how, [told, *([shown] if shown else [])])


def _kinds(kinds: list[Kind], out: Path) -> list[Content]:
    left = sum(len(kind.runs) for kind in kinds[MOST_KINDS:])
    rest = f" {left} more runs are of {len(kinds) - MOST_KINDS} further kinds." if left else ""
    told = f"Runs with the same outcomes and flaws; one of each is shown.{rest}"
    cards = Cards([_kind(kind, out) for kind in kinds[:MOST_KINDS]])
    return [Section("Kinds of runs", told), cards]


def _kind(kind: Kind, out: Path) -> Card:
    shown = next((run for run in kind.runs if run.folder is not None), kind.runs[0])
    count = f"{len(kind.runs)} run{'' if len(kind.runs) == 1 else 's'}"
    where = "not kept" if shown.folder is None else Code(_relative(shown.folder, out))
    content: list[Content] = [f"{count}; shown is run {shown.index}, ", where]
    if shown.error:
        content.append(Paragraph(shown.error, "note"))
    pictures: Sequence[Picture] = ()
    if shown.folder is not None:
        try:
            pictures = run_pictures(Path(shown.folder))
        except (BadInput, NoGraphics) as why:  # a run that failed early has nothing to be seen
            content.append(Paragraph(f"no picture: {why}", "note"))
    return Card(kind.words, "good" if kind.is_good else "bad", pictures, content)


def _runs(batch: Batch, out: Path) -> Table:
    rows = [
        [
            str(run.index),
            ", ".join(name for name, value in run.outcomes.items() if value is True) or "-",
            run.error or ", ".join(run.flaws).replace("_", " ") or "-",
            "-" if run.folder is None else _relative(run.folder, out),
        ]
        for run in batch.runs
    ]
    return Table(["run", "came about", "flaws, or why it failed", "folder"], rows, number=0)


def _relative(folder: str, out: Path) -> str:
    path = Path(folder)
    root = out.resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else folder
