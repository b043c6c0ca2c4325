"""Scores forecasts of recorded drops: how well probabilities agree with what really happened.

Each drop is predicted at the beginning of an action, with what is published as uncertain; of the recording, only the
path of the arm is read after that, as a stand-in for the planned one (see `planned_opening`). Episodes, plans and
forecasts are kept in a folder, so that a later run goes on from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from machine import machine
from planned_opening import write_plan

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_suite.futures.counting.wilson import probability
from hetwin_suite.futures.predicting.moment import Moment
from hetwin_suite.futures.predicting.predict import Asked, predict
from hetwin_suite.proving_ground.episodes import record_episodes
from hetwin_suite.proving_ground.kind import Kind
from hetwin_suite.proving_ground.mismatch.recording_file import read_recording, start_of

EXAMPLES = """examples:
  python benchmarks/predictions.py --episodes 4 --keep predicted
  python benchmarks/predictions.py --episodes 100 --keep predicted --json
  python benchmarks/predictions.py --episodes 100 --keep predicted --stored    # only what is there already
"""
SCENARIO, HAND = "uncertain_environment", "right_hand"
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Of the groups of forecasts that are compared with what came about."""
UNSURE = (0.1, 0.9)
NEAR_M = 0.01


@dataclass(frozen=True, slots=True)
class Scored:
    """A forecast and what came about."""

    episode: str
    p: float
    success: bool


@dataclass(frozen=True, slots=True)
class Task:
    """What is predicted, and where it is kept."""

    keep: Path
    at: str
    futures: int
    jobs: int
    stored: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, predict, compare and print; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=100, help="drops whose ball is held then")
    parser.add_argument("--seed", type=int, default=7301, help="of the drops")
    parser.add_argument("--at", default="move", help="action at whose beginning they are predicted")
    parser.add_argument("--futures", type=int, default=32)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("predictions"), metavar="FOLDER")
    parser.add_argument("--stored", action="store_true", help="only what is kept already")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    task = Task(said.keep, said.at, said.futures, said.jobs, said.stored)
    half = (said.episodes + 1) // 2
    scored = [
        *_scored(task, said.seed, half, NEAR_M),
        *_scored(task, said.seed + 1, said.episodes - half, None),
    ]
    if not scored:
        print("nothing is kept yet", file=sys.stderr)
        return 1
    result = {"machine": machine(), "rows": [row(scored, said.at)]}
    print(json.dumps(result, indent=2) if said.json else _table(result["rows"][0]))
    return 0


def _scored(task: Task, seed: int, count: int, near: float | None) -> Iterator[Scored]:
    """Yield forecasts of so many drops of a seed whose ball is held when the action begins."""
    found, number = 0, 0
    while found < count:
        number += 1
        folder = _episode(task, seed, number, near)
        if folder is None:
            return
        scored = _score(task, folder)
        if scored is not None:
            found += 1
            yield scored


def _episode(task: Task, seed: int, number: int, near: float | None) -> Path | None:
    """Return the folder of an episode, recorded if it is not there; None if it must not be."""
    kind = "any" if near is None else "near"
    folder = task.keep / f"{kind}_{seed}" / f"{number:04d}"
    episode = folder / f"drop_{number:04d}"
    if not (folder / "distribution.json").exists():
        if task.stored:
            return None
        record_episodes(Kind.DROP, 1, seed, folder, near_rim=near, episode=number)
    return episode


def _score(task: Task, episode: Path) -> Scored | None:
    """Return the forecast of a drop; None if its ball is not held, or if it must not be predicted."""
    kept = episode / f"forecast_{task.at}_{task.futures}.json"
    if not kept.exists():
        if task.stored:
            return None
        kept.write_text(json.dumps(_predicted(task, episode)), encoding="utf-8")
    forecast = json.loads(kept.read_text(encoding="utf-8"))
    truth = json.loads((episode / "truth.json").read_text(encoding="utf-8"))
    at = forecast.get("at")
    if at is None or not any(begin <= at < end for begin, end in truth["held"]):
        return None
    return Scored(episode.name, forecast["p"], truth["label"] == "success")


def _predicted(task: Task, episode: Path) -> dict[str, Any]:
    """Predict a drop; a moment that does not come gives nothing."""
    scenario = load_scenario(find_scenario(SCENARIO))
    times = _announced(episode)
    if task.at not in times or "release" not in times:
        return {}
    plan = episode / f"plan_{task.at}"
    if not plan.exists():
        recording = episode / "recording"
        write_plan(recording, plan, scenario, HAND, times[task.at], times["release"])
    scene = json.loads((episode / "scene.json").read_text(encoding="utf-8"))["scene"]
    asked = Asked(Moment(before=task.at), task.futures, jobs=task.jobs)
    forecast = predict(scenario, RunOptions(source=str(plan), scene=scene), asked)
    for one in forecast.failed:
        print(f"{episode.name}: future {one.index}: {one.error}", file=sys.stderr)
    if not forecast.finished:
        raise HetwinError(f"{episode}: no future is over")
    p = forecast.success.p
    print(f"{episode.parent.parent.name} {episode.name}: {p:.2f}", file=sys.stderr, flush=True)
    return {"p": p, **forecast.to_json()}


def _announced(episode: Path) -> dict[str, float]:
    """Return operation -> when it first begins [s], as the robot's program says it."""
    truth = json.loads((episode / "truth.json").read_text(encoding="utf-8"))
    start = start_of(episode / "recording")
    recording = read_recording(episode / "recording")
    found: dict[str, float] = {}
    types = recording.types
    for message in recording.others:
        kind = recording.connections[message.topic].msgtype
        if kind != "hetwin/msg/ActionAnnotation":
            continue
        said = types.deserialize_cdr(message.data, kind)
        stamp = said.header.stamp.sec * 1_000_000_000 + said.header.stamp.nanosec
        found.setdefault(said.operation, (stamp - min(start, truth["start_ns"])) / 1e9)
    return found


def row(scored: Sequence[Scored], at: str) -> dict[str, Any]:
    """Return how good forecasts are; `unsure` are those between 0.1 and 0.9."""
    share = sum(one.success for one in scored) / len(scored)
    brier = sum((one.p - one.success) ** 2 for one in scored) / len(scored)
    groups = pairwise(EDGES)
    return {
        "scenario": SCENARIO,
        "at": at,
        "episodes": len(scored),
        "brier": round(brier, 4),
        "brier_base": round(share * (1.0 - share), 4),
        "unsure": _group(scored, *UNSURE),
        "calibration": [_group(scored, low, high) for low, high in groups],
    }


def _group(scored: Sequence[Scored], low: float, high: float) -> dict[str, Any]:
    """Compare the forecasts from `low` to below `high`, 1 being below 1, with the share of successes."""
    last = high == EDGES[-1]
    among = [one for one in scored if low <= one.p < high or (last and one.p == high)]
    came = probability(sum(one.success for one in among), len(among))
    mean = sum(one.p for one in among) / len(among) if among else None
    return {
        "from": low,
        "to": high,
        "mean": None if mean is None else round(mean, 4),
        "share": round(came.p, 4) if among else None,
        "low": round(came.low, 4),
        "high": round(came.high, 4),
        "of": len(among),
    }


def _table(found: dict[str, Any]) -> str:
    head = (
        f"{found['episodes']} drops, predicted at {found['at']}:"
        f" Brier score {found['brier']:.3f}, of the base rate {found['brier_base']:.3f}"
    )
    groups = [group for group in (found["unsure"], *found["calibration"]) if group["of"]]
    return "\n".join((head, *map(_line, groups)))


def _line(group: dict[str, Any]) -> str:
    return (
        f"  from {group['from']:.1f} to {group['to']:.1f}: {group['of']} forecasts, mean {group['mean']:.2f},"
        f" came about {group['share']:.2f} ({group['low']:.2f} to {group['high']:.2f})"
    )


if __name__ == "__main__":
    sys.exit(main())
