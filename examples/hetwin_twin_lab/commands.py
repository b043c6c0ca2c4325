"""`hetwin record lab_robot`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.command import EpisodeNumber, Jobs, Result, Seed, option, record_with_progress


def lab_robot(
    out: Annotated[Path, option("--out", "folder for the episodes; new or empty")],
    count: Annotated[int, option("-n", "episodes", least=1)] = 10,
    episode: EpisodeNumber = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    friction: Annotated[
        float | None,
        typer.Option(help="friction of its wheels on the floor; default: the world's"),
    ] = None,
) -> Result:
    """Record moves of one lab robot, whose hidden parameters are drawn from the seed.

    drive.csv (wheels, and true poses) and laps.csv are logs for hetwin calibrate, robot.json is its data sheet.

    Example: hetwin record lab_robot -n 1 --seed 3 --out episodes/moves
    """
    from hetwin_twin_lab.recording_moves import record_moves

    record = partial(record_moves, count, seed, out, jobs, episode=episode, friction=friction)
    return record_with_progress(record, out, count if episode is None else 1)
