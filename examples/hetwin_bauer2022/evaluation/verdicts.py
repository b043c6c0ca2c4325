"""Writes the verdicts of an evaluation as a page, CSV, JSON and text."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from hetwin_bauer2022.evaluation.approaches import APPROACHES, RULES
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode
from hetwin_bauer2022.evaluation.judge import Verdict
from hetwin_bauer2022.evaluation.judging_with_mismatches import judge_with_mismatches
from hetwin_bauer2022.evaluation.page import evaluation_page
from hetwin_bauer2022.evaluation.replay import Replay
from hetwin_bauer2022.evaluation.table2 import Cell, cells, hand_backs
from hetwin_suite.command import table
from hetwin_suite.episode import read_summary

MAX_PICTURES = 40


def page(
    out: Path, episodes: list[LabelledEpisode], replay: Replay, verdicts: list[Verdict]
) -> str:
    """Return the page; the first wrong verdicts are run again with a log, to be shown on it.

    Args:
        out: folder of the page and of its pictures and runs.
        episodes: judged episodes.
        replay: settings of the replay.
        verdicts: verdicts of all approaches.
    """
    by_folder = {str(e.folder): e for e in episodes}
    logs: dict[tuple[str, str], Path] = {}
    wrong = [
        v for v in verdicts if not v.right and not v.not_applicable and v.approach not in RULES
    ]
    for verdict in sorted(wrong, key=lambda v: APPROACHES.index(v.approach))[:MAX_PICTURES]:
        folder = _unused_folder(out / "wrong" / f"{Path(verdict.episode).name}_{verdict.approach}")
        judge_with_mismatches(by_folder[verdict.episode], verdict.approach, replay, folder)
        if read_summary(folder) is not None:  # a run that fails to start has none
            logs[verdict.episode, verdict.approach] = folder
    mismatches = ", ".join(map(str, replay.mismatches))
    return evaluation_page(out, cells(verdicts), verdicts, logs, mismatches)


def document(verdicts: list[Verdict], replay: Replay, out: Path) -> dict[str, Any]:
    """Return the JSON of the table, and statistics of the poses at hand-backs."""
    return {
        "cells": [_row(cell) for cell in cells(verdicts)],
        "hand_backs": [asdict(row) for row in hand_backs(verdicts)],
        "contacts": replay.contacts.value,
        "mismatch": replay.levels,
        "out": str(out.resolve()),
    }


def lines(verdicts: list[Verdict], out: Path) -> Iterator[str]:
    """Yield the table as lines of text, and the paths of the files."""
    yield from _table(cells(verdicts))
    yield from map(str, hand_backs(verdicts))
    yield f"every verdict: {out / 'table2.csv'}"


def write_csv(path: Path, verdicts: list[Verdict]) -> None:
    """Write every verdict; the folder is created if missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Verdict)] + ["right"])
        writer.writeheader()
        for verdict in verdicts:
            writer.writerow({**asdict(verdict), "right": verdict.right})


def _unused_folder(folder: Path) -> Path:
    number, free = 1, folder
    while free.exists():
        number += 1
        free = folder.with_name(f"{folder.name}_{number}")
    return free


def _row(cell: Cell) -> dict[str, object]:
    low, high = cell.interval
    return {**asdict(cell), "low": low, "high": high, "paper": cell.paper}


def _table(table_cells: list[Cell]) -> Iterator[str]:
    rows = []
    for scenario, truth in dict.fromkeys((c.scenario, c.truth) for c in table_cells):
        by_approach = {
            c.approach: c for c in table_cells if (c.scenario, c.truth) == (scenario, truth)
        }
        texts = [" ".join(by_approach[a].words) if a in by_approach else "-" for a in APPROACHES]
        rows.append((scenario, truth, *texts))
    yield "right / of (95 % interval; paper)"
    yield from table(("scenario", "truth", *APPROACHES), rows)
