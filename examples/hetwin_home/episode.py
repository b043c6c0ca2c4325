"""An episode of warming a cup: TIAGo's program in the simulator that stands in for reality, recorded with truth."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_home.program import CUP, CUP_AT, MICROWAVE
from hetwin_home.reality import SCENARIO, InitialOffsets, StandIn, build_stand_in
from hetwin_home.robot_bag import write_robot_bag
from hetwin_suite.episode import LOG, Take, record_episodes, write_episode
from hetwin_suite.runs import BetweenSteps, RunFailed, RunLog, RunOptions, RunSummary, session

LIFTED_M = 0.05
"""Height above its initial position at which the cup counts as held [m]."""
PATH_NS = 50_000_000
"""Sampling period of the cup's path [ns]."""
MILESTONES = {
    "in_container": "entered",
    "shut": "closed",
    "switched_on": "switched_on",
    "hot": "became_hot",
}
"""Required milestones after the lift, in this order -> event that marks each."""
CAUSES = {
    "held": "never_held",
    "in_container": "dropped",
    "shut": "left_open",
    "switched_on": "not_switched_on",
    "hot": "stayed_cold",
}
"""Milestone -> cause of failure if it is the first one missed."""


def record_cups(
    count: int, seed: int, out: Path, *arguments: Any, **options: Any
) -> dict[str, Any]:
    """Record episodes; see `hetwin_suite.episode.record_episodes`."""
    return record_episodes("home_lab", record, Take(seed, 0), count, out, *arguments, **options)


@dataclass
class PathRecorder:
    """Records the true path of the cup.

    Attributes:
        path: rows of time [s], x y z [m], qw qx qy qz.
    """

    path: list[list[float]] = field(default_factory=list)

    def sample(self, now: BetweenSteps) -> None:
        """Take a sample if it is due."""
        if now.time_ns % PATH_NS == 0:
            pose = now.scene.pose(CUP)[:7].tolist()
            self.path.append([now.time_ns * 1e-9, *(round(part, 6) for part in pose)])

    @property
    def held_at(self) -> float | None:
        """Time of the first lift [s]; None if there was none."""
        high = CUP_AT[2] + LIFTED_M
        return next((row[0] for row in self.path if row[3] >= high), None)


def record(folder: Path, take: Take, random: np.random.Generator) -> dict[str, Any]:
    """Simulate and write one episode, and return its label and cause of failure.

    Args:
        folder: folder of the episode; must not exist.
        take: recipe of the episode.
        random: generator of the initial positions of cup and base.

    Raises:
        BadInput: if TIAGo's description is not installed.
        RunFailed: if the simulation fails.
    """
    offsets = InitialOffsets.draw(random)
    with tempfile.TemporaryDirectory() as name:
        stand_in, recorder = build_stand_in(offsets, Path(name)), PathRecorder()
        run = Path(name) / "run"
        run_summary = _simulate(stand_in, run, recorder)
        milestones = _milestone_times(run_summary, recorder)
        cause = next(
            (CAUSES[milestone] for milestone, time in milestones.items() if time is None), ""
        )
        summary = {"label": "failure" if cause else "success", "cause": cause}
        truth = {**summary, **take.truth, "drawn": asdict(offsets)}
        truth |= {"happened": milestones, "state": dict(run_summary.state), "path": recorder.path}
        write_episode(
            folder, SCENARIO, stand_in.scene, truth, lambda bag: write_robot_bag(run / LOG, bag)
        )
    return summary


def _simulate(stand_in: StandIn, out: Path, recorder: PathRecorder) -> RunSummary:
    summary = session(
        stand_in.scenario,
        options=RunOptions(scene=stand_in.scene),
        listeners=[RunLog(out)],
        at_barrier=recorder.sample,
    ).run()
    if summary.error is not None:
        raise RunFailed(SCENARIO, "simulate", 0, json.dumps(summary.error))
    return summary


def _milestone_times(run_summary: RunSummary, recorder: PathRecorder) -> dict[str, float | None]:
    """Return milestone -> its first time [s]; None if it was missed."""
    objects = (CUP, MICROWAVE)
    first: dict[str, float] = {}
    for event in run_summary.events:
        arguments = event["arguments"]
        if isinstance(arguments, Mapping) and arguments.get("object") in objects:
            first.setdefault(str(event["name"]), float(str(event["time"])))
    return {
        "held": recorder.held_at,
        **{milestone: first.get(name) for milestone, name in MILESTONES.items()},
    }
