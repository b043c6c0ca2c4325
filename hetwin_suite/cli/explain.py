"""`hetwin explain`: with which smallest change a run would have succeeded."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite._commands.following import followed
from hetwin_suite._commands.options import Jobs, Seed, Trust, option
from hetwin_suite._commands.result import Result


def explain(
    episode: Annotated[
        Path,
        typer.Argument(help="folder of a run, or of a recorded episode, which is run first"),
    ],
    change: Annotated[
        str,
        typer.Option(
            metavar="ENTITY|NAME.PARAMETER", help="what may differ; default: all that is uncertain"
        ),
    ] = "",
    out: Annotated[
        Path | None,
        option(
            "--out", "folder for the run of a recorded episode; its report shows the explanation"
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    trust: Trust = False,
) -> Result:
    """Say with which smallest change a run that did not succeed would have succeeded.

    Futures of the run are made with something elsewhere, or with another number, until at least nine of ten succeed
    although everything else that is uncertain is drawn. The scenario says what is uncertain, and by its outcomes what
    success is. The exit code is 0 if nothing mends it, too.

    For example:

    hetwin explain episodes/drops/drop_0001 --change crate
    """
    from hetwin_core.ensemble.writing import write_atomically
    from hetwin_core.episodes.run_folder import EXPLANATION, LOG
    from hetwin_suite._study.explaining.explain import explain as explained
    from hetwin_suite._study.runs.of_run import study_of

    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        run = out if out is not None else Path(folder) / "run"
        study, tables = study_of(episode, run, trust=trust)
        study.seed, study.jobs = seed, jobs
        followed(study, lambda done: f"{len(done)} futures")
        found = explained(study, tables, change)
        kept = run if (run / LOG).exists() else episode
        text = json.dumps(found.to_file()) + "\n"
        write_atomically(kept / EXPLANATION, text)
    lines = [found.text]
    if found.change is not None:
        begun = f"{found.at_s:.2f} s"
        lines.append(f"{found.finished} futures were made, from {begun} of the run on")
    return Result(found.to_json(), lines)
