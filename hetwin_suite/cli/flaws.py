"""`hetwin flaws`: what went wrong in an episode."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.cli.options import AsJson


def flaws(
    episode: Annotated[Path, typer.Argument(help="folder of a run")],
    as_json: AsJson = False,
) -> None:
    """Find what went wrong in an episode: each flaw with its task, its causes and the rows that say so.

    It begins with what the run has checked, and what speaks against the run itself, its concerns.

    Example: hetwin flaws runs/today
    """
    from hetwin_core.ensemble.coverage_words import coverage_words
    from hetwin_core.ensemble.sentences.catalogue import say
    from hetwin_core.episodes.flaws.find import flaws_in
    from hetwin_core.episodes.run_folder import folder_of, read_summary
    from hetwin_core.episodes.tables.open import open_tables
    from hetwin_suite.running.patience import never_silent

    with never_silent(lambda: "reading the episode"):
        tables = open_tables(episode)
        begun = time.perf_counter()
        found = flaws_in(tables)
        seconds = time.perf_counter() - begun
    summary = read_summary(folder_of(episode)) or {}
    coverage, concerns = summary.get("coverage"), summary.get("concerns", ())
    if as_json:
        rows = [flaw.to_json() for flaw in found]
        of_the_run = {"verdict": summary.get("verdict"), "coverage": coverage}
        print(json.dumps({"seconds": seconds, **of_the_run, "concerns": concerns, "flaws": rows}))
        return
    known = say("verdict.not_known") if coverage is None else coverage_words(coverage)
    print(f"{summary.get('verdict', 'no verdict')}: {known}")
    for row in concerns:
        print(f"{row['from']:9.3f} s  {row['severity']}: {row['text']}")
    for flaw in found:
        print(f"{flaw.span.from_ns / 1e9:9.3f} s  {flaw.kind}: {flaw.text}")
    if not found:
        print("no flaws")
