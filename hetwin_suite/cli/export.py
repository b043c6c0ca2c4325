"""`hetwin export`: a run as a file of other viewers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.cli.options import AsJson


def export(
    run: Annotated[Path, typer.Argument(help="folder of a run")],
    rerun: Annotated[
        Path | None, typer.Option("--rerun", metavar="FILE", help="new file for Rerun (.rrd)")
    ] = None,
    mcap: Annotated[
        Path | None,
        typer.Option("--mcap", metavar="FILE", help="new file for Foxglove and Lichtblick (.mcap)"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run as a file of Rerun, or of Foxglove and Lichtblick, in the colours of who is responsible.

    Example: hetwin export runs/today --mcap today.mcap
    """
    from hetwin_core.ensemble.errors import BadInput
    from hetwin_core.episodes.run_folder import folder_of
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.view.foxglove.file import write_foxglove_file
    from hetwin_suite.view.rerun.export import write_rerun

    wanted = [(rerun, write_rerun), (mcap, write_foxglove_file)]
    if rerun is None and mcap is None:
        raise BadInput("it is not said what to write", where="export", expected="--rerun or --mcap")
    written = {}
    with never_silent(lambda: "writing the run"):
        for file, write in wanted:
            if file is not None:
                written[str(file)] = write(folder_of(run), file)
    if as_json:
        print(json.dumps({"states": written}))
    else:
        for name, states in written.items():
            print(f"{name}: {states} states")
