"""Scores forecasts of recorded drops: how well probabilities agree with what really happened.

At the beginning of `move`: whether a ball that is held ends in its container; at that of `reach`: whether it will be
held at all. What is drawn is what the scenario publishes as uncertain; of the recording, only the path of the arm is
read after the moment, as a stand-in for the planned one. Half of the drops aim within 10 mm of the rim. Episodes and
forecasts are kept in a folder, so that a later run goes on from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from drop_questions import QUESTIONS, Question
from forecast_scores import Scored, group, scores
from kept_drops import Drop, kept_drop
from machine import machine

EXAMPLES = """examples:
  python benchmarks/predictions.py --episodes 4 --keep predicted
  python benchmarks/predictions.py --episodes 100 --keep predicted --json
  python benchmarks/predictions.py --episodes 100 --at reach --futures 4 --keep predicted
  python benchmarks/predictions.py --episodes 100 --keep predicted --stored    # only what is there already
"""
EDGES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
"""Of the groups of forecasts that are compared with what came about."""
UNSURE = (0.1, 0.9)
NEAR_M = 0.01


@dataclass(frozen=True, slots=True)
class Task:
    """What is predicted, and where it is kept."""

    question: Question
    keep: Path
    futures: int
    jobs: int
    stored: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, predict, compare and print; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=100, help="drops of which it is asked")
    parser.add_argument("--seed", type=int, default=7301, help="of the drops")
    parser.add_argument(
        "--at", choices=QUESTIONS, default="move", help="action at whose beginning it is asked"
    )
    parser.add_argument("--futures", type=int, default=16)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("predictions"), metavar="FOLDER")
    parser.add_argument("--stored", action="store_true", help="only what is kept already")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    task = Task(QUESTIONS[said.at], said.keep, said.futures, said.jobs, said.stored)
    half = (said.episodes + 1) // 2
    near = _scored(task, said.seed, half, NEAR_M)
    others = _scored(task, said.seed + 1, said.episodes - half, None)
    in_turn = chain.from_iterable(zip_longest(near, others))
    scored = [one for one in in_turn if one is not None]
    if not scored:
        print("nothing is kept yet", file=sys.stderr)
        return 1
    found = row(scored, task.question)
    if said.json:
        print(json.dumps({"machine": machine(), "rows": [found]}, indent=2))
    else:
        print(_table(found))
    return 0


def _scored(task: Task, seed: int, count: int, near: float | None) -> Iterator[Scored]:
    """Yield forecasts of so many drops of a seed of which it is asked."""
    found, number = 0, 0
    while found < count:
        number += 1
        drop = kept_drop(task.keep, seed, number, near, stored=task.stored)
        if drop is None:
            return
        if not task.question.asks(drop):
            continue
        scored = _score(task, drop)
        if scored is None:
            return
        found += 1
        yield scored


def _score(task: Task, drop: Drop) -> Scored | None:
    """Return the forecast of a drop; None if it is not there and must not be made."""
    question = task.question
    kept = drop.folder / f"forecast_{question.at}_{task.futures}.json"
    if not kept.exists():
        if task.stored:
            return None
        found = question.predicted(drop, task.futures, task.jobs)
        kept.write_text(json.dumps(found), encoding="utf-8")
        name = f"{drop.folder.parent.parent.name} {drop.folder.name}"
        print(f"{name}: {found['p']:.2f}", file=sys.stderr, flush=True)
    forecast = json.loads(kept.read_text(encoding="utf-8"))
    return Scored(forecast["p"], question.came(drop))


def row(scored: Sequence[Scored], question: Question) -> dict[str, Any]:
    """Return how good forecasts are; `unsure` are those between 0.1 and 0.9."""
    return {
        "scenario": question.scenario,
        "at": question.at,
        "asked": question.words,
        **scores(scored, EDGES),
        "unsure": group(scored, *UNSURE),
    }


def _table(found: dict[str, Any]) -> str:
    head = (
        f"{found['episodes']} drops, predicted at {found['at']} ({found['asked']}):"
        f" Brier score {found['brier']:.3f}, of the base rate {found['brier_base']:.3f}"
    )
    every = (found["all"], found["unsure"], *found["calibration"])
    return "\n".join((head, *(_line(group) for group in every if group["of"])))


def _line(group: dict[str, Any]) -> str:
    return (
        f"  from {group['from']:.1f} to {group['to']:.1f}: {group['of']} forecasts, mean {group['mean']:.2f},"
        f" came about {group['share']:.2f} ({group['low']:.2f} to {group['high']:.2f})"
    )


if __name__ == "__main__":
    sys.exit(main())
