"""`hetwin evaluate`: verdicts of the twin and of the baselines against recorded ground truth."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import asdict, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.projection.run_folder import read_summary
from hetwin_suite.cli.listing import AsJson
from hetwin_suite.proving_ground.evaluation.approaches import APPROACHES, RULE, Contacts
from hetwin_suite.proving_ground.evaluation.batch import judge_all
from hetwin_suite.proving_ground.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_suite.proving_ground.evaluation.judge import Verdict, judge
from hetwin_suite.proving_ground.evaluation.table2 import Cell, cells, hand_backs

MOST_PICTURES = 40


class Suite(StrEnum):
    """What to evaluate."""

    TABLE2 = "table2"


def evaluate(
    suite: Annotated[Suite, typer.Argument(help="table2: the first paper's Table 2")],
    episodes: Annotated[
        Path, typer.Option(help="folder of episodes, searched with its subfolders")
    ],
    jobs: Annotated[
        int | None, typer.Option(min=1, help="processes; default: one per core")
    ] = None,
    approaches: Annotated[str, typer.Option(help="some of them, separated by commas")] = ",".join(
        APPROACHES
    ),
    contacts: Annotated[
        Contacts, typer.Option(help="contact settings of the physics: ours, or the engine's own")
    ] = Contacts.MANIPULATION,
    engine: Annotated[
        str | None, typer.Option(help="physics engine; default: the scenarios'")
    ] = None,
    out: Annotated[Path, typer.Option(help="folder for CSV and page")] = Path("evaluation"),
    as_json: AsJson = False,
) -> None:
    """Play all episodes in all approaches and compare the verdicts with what really happened.

    Example: hetwin evaluate table2 --episodes episodes
    """
    chosen = _approaches(approaches)
    found = find_episodes(episodes)
    verdicts = judge_all(
        found, chosen, contacts=contacts, jobs=jobs, engine=engine, progress=_progress
    )
    table = cells(verdicts)
    out.mkdir(parents=True, exist_ok=True)
    _write_csv(out / f"{suite}.csv", verdicts)
    _write_page(out, found, (contacts, engine), table, verdicts)
    if as_json:
        told = {
            "cells": [_row(cell) for cell in table],
            "hand_backs": [asdict(row) for row in hand_backs(verdicts)],
            "contacts": contacts.value,
            "out": str(out.resolve()),
        }
        print(json.dumps(told, indent=2))
    else:
        _print(table)
        for row in hand_backs(verdicts):
            print(row)
        print(f"every verdict: {out / f'{suite}.csv'}; page: {out / f'{suite}.html'}")


def _approaches(text: str) -> list[str]:
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    for name in chosen:
        if name not in APPROACHES:
            expected = "some of " + ", ".join(APPROACHES)
            raise BadInput("no such approach", where="--approaches", found=name, expected=expected)
    return chosen


def _progress(done: int, of: int, verdict: Verdict) -> None:
    mark = "right" if verdict.right else "n/a" if verdict.not_applicable else "WRONG"
    name = Path(verdict.episode).name
    print(
        f"{done}/{of} {name} {verdict.approach}: {mark} ({verdict.wall_time:.1f} s)",
        file=sys.stderr,
        flush=True,
    )


def _write_csv(path: Path, verdicts: list[Verdict]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Verdict)] + ["right"])
        writer.writeheader()
        for verdict in verdicts:
            writer.writerow({**asdict(verdict), "right": verdict.right})


def _write_page(
    out: Path,
    episodes: list[LabelledEpisode],
    physics: tuple[Contacts, str | None],
    table: list[Cell],
    verdicts: list[Verdict],
) -> None:
    """Play the wrong ones of our approach again, with a log, so that the page can show them."""
    from hetwin_suite.proving_ground.evaluation.page import write_page  # plotly takes its time

    by_folder = {str(e.folder): e for e in episodes}
    logs: dict[tuple[str, str], Path] = {}
    wrong = [v for v in verdicts if not v.right and not v.not_applicable and v.approach != RULE]
    for verdict in sorted(wrong, key=lambda v: APPROACHES.index(v.approach))[:MOST_PICTURES]:
        folder = _free(out / "wrong" / f"{Path(verdict.episode).name}_{verdict.approach}")
        judge(by_folder[verdict.episode], verdict.approach, folder, *physics)
        if read_summary(folder) is not None:  # a run that cannot begin has none
            logs[verdict.episode, verdict.approach] = folder
    write_page(out / f"{Suite.TABLE2}.html", table, verdicts, logs)


def _free(folder: Path) -> Path:
    number, found = 1, folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}_{number}")
    return found


def _row(cell: Cell) -> dict[str, object]:
    low, high = cell.interval
    return {**asdict(cell), "low": low, "high": high, "paper": cell.paper}


def _print(table: list[Cell]) -> None:
    from rich.console import Console
    from rich.table import Table

    shown = Table("scenario", "truth", *APPROACHES, title="right / of (95 % interval; paper)")
    for scenario, truth in dict.fromkeys((c.scenario, c.truth) for c in table):
        here = {c.approach: c for c in table if (c.scenario, c.truth) == (scenario, truth)}
        shown.add_row(
            scenario, truth, *("\n".join(here[a].words) if a in here else "-" for a in APPROACHES)
        )
    Console().print(shown)
