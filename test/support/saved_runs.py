"""Runs of shipped scenarios that are saved at some of their steps."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor, session
from hetwin_core.ensemble.conductor.reporting.listener import RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario


def of_episode(folder: Path) -> dict[str, Any]:
    """The options of a run that follows a recorded episode."""
    written = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    return {"source": str(folder / "recording"), "scene": written["scene"]}


def saved_at(
    name: str, times_s: Collection[float], **options: Any
) -> tuple[RunSummary, list[Checkpoint]]:
    """How a run went, and its checkpoints at the first barriers at or after some times [s]."""
    conductor = _conductor(name, options)
    found: list[Checkpoint] = []
    waiting = sorted(times_s, reverse=True)

    def save(now: BetweenSteps) -> None:
        while waiting and now.time_ns >= round(waiting[-1] * 1e9):
            waiting.pop()
            found.append(now.checkpoint())

    conductor.at_barriers(save)
    return conductor.run(), found


def plain_run(name: str, **options: Any) -> RunSummary:
    """How a run goes that is not saved."""
    return _conductor(name, options).run()


def gone_on(name: str, checkpoint: Checkpoint, **options: Any) -> RunSummary:
    """How a run goes on from a checkpoint with new instances of its models."""
    conductor = _conductor(name, options)
    conductor.continue_from(checkpoint)
    return conductor.run()


def _conductor(name: str, options: dict[str, Any]) -> Conductor:
    return session(find_scenario(name), options=RunOptions(**options))
