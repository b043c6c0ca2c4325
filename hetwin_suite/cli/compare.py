"""`hetwin compare`: where two runs part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli.options import AsJson
from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_core.projection.comparing.comparison import Comparison


def compare(
    run: Annotated[Path, typer.Argument(help="folder of a run")],
    other: Annotated[Path, typer.Argument(help="folder of the run that it is compared with")],
    as_json: AsJson = False,
) -> None:
    """Say where two runs part: what they were given, what differs first, and what comes of it.

    Example: hetwin compare runs/good runs/moved
    """
    from hetwin_core.projection.comparing.compare import compare_runs
    from hetwin_suite.running.patience import never_silent

    with never_silent(lambda: "comparing the runs"):
        found = compare_runs(run, other)
    if as_json:
        print(json.dumps(found.to_json()))
    else:
        _show(found)


def _show(found: Comparison) -> None:
    """Print what differs; here is the first run, there the other."""
    rows = [
        (name, f"{row['time']:.2f} s", ", ".join(row["entities"]))
        for name, row in found.to_json()["divergence"].items()
        if row is not None
    ]
    if not rows and not found.chain:
        print("no difference")
        return
    for line in found.chain:
        print(line)
    if rows:
        print()
        show_table(("differs first", "at", "about"), rows)
    off = [
        (name, f"{apart.first_ns / 1e9:.2f} s", f"{apart.most:.3f} m", f"{apart.end:.3f} m")
        for name, apart in found.objects.items()
        if apart.first_ns is not None
    ]
    if off:
        print()
        show_table(("object", "is off from", "at most", "at the end"), off)
