"""`hetwin report`: the page that shows a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.cli.options import AsJson


def report(
    run: Annotated[Path, typer.Argument(help="folder of a run")],
    out: Annotated[
        Path | None, typer.Option("--out", help="file; default: report.html in it")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a run: one HTML file that needs nothing else.

    Example: hetwin report runs/today
    """
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.view.report import write_report

    with never_silent(lambda: "drawing the report"):
        path = write_report(run, out)
    print(json.dumps({"report": str(path)}) if as_json else f"report: {path}")
