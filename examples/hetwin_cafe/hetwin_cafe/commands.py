"""Commands of the cafe: `hetwin bill`, and the episodes of `hetwin record waves`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.command import Jobs, Result, Seed, counted, option, record_with_progress


def bill(
    run: Annotated[Path, typer.Argument(help="folder of a run")],
    price: Annotated[float, typer.Option(help="price of a cup")] = 3.5,
) -> Result:
    """Print the price of the coffee in a run.

    Example: hetwin bill runs/cafe --price 4
    """
    from hetwin_suite.episode import open_episode

    cups = 1 + sum(event.name == "served_again" for event in open_episode(run).events)
    text = f"{counted(cups, 'cup')}: {cups * price:.2f}"
    return Result({"cups": cups, "price": cups * price}, [text])


def waves(
    out: Annotated[Path, option("--out", "folder for the episodes; new or empty")],
    count: Annotated[int, option("-n", "episodes", least=1)] = 3,
    seed: Seed = 0,
    jobs: Jobs = None,
) -> Result:
    """Record an arm that waves, by another angle in each episode.

    Example: hetwin record waves -n 2 --out episodes/waves
    """
    from hetwin_cafe.waving import record_wave
    from hetwin_suite.episode import Take, record_episodes

    record = partial(record_episodes, "waves", record_wave, Take(seed, 0), count, out, jobs)
    return record_with_progress(record, out, count)
