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

    Example: hetwin flaws runs/today
    """
    from hetwin_core.projection.flaws.find import flaws_in
    from hetwin_core.projection.tables.open import open_tables
    from hetwin_suite.running.patience import never_silent

    with never_silent(lambda: "reading the episode"):
        tables = open_tables(episode)
        begun = time.perf_counter()
        found = flaws_in(tables)
        seconds = time.perf_counter() - begun
    if as_json:
        print(json.dumps({"seconds": seconds, "flaws": [flaw.to_json() for flaw in found]}))
        return
    for flaw in found:
        print(f"{flaw.span.from_ns / 1e9:9.3f} s  {flaw.kind}: {flaw.text}")
    if not found:
        print("no flaws")
