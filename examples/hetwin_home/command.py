"""`hetwin record home_lab`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from hetwin_suite.command import EpisodeNumber, Jobs, Result, Seed, option, record_with_progress


def home_lab(
    out: Annotated[Path, option("--out", "folder for the episodes; new or empty")],
    count: Annotated[int, option("-n", "episodes", least=1)] = 10,
    episode: EpisodeNumber = None,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> Result:
    """Record a TIAGo that warms a cup; the initial positions of cup and robot vary.

    It needs the extra robots. hetwin run home_lab --source EPISODE replays one.

    Example: hetwin record home_lab -n 1 --out episodes/cups
    """
    from hetwin_home.episode import record_cups

    record = partial(record_cups, count, seed, out, jobs, episode=episode)
    return record_with_progress(record, out, count if episode is None else 1)
