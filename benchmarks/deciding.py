"""Scores decisions about drops: what is chosen and called critical is recorded by the stand-in, aim by aim.

Each episode, of a fresh draw with a sound grasp, is recorded as its program has it (the random aim); from its action
`move` on, `hetwin predict` chooses among the aims of the library. Then the same episode is recorded again with the
chosen aim, and with one of those that were called critical. Everything is kept in a folder, so that a later run goes
on from it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from hetwin_bauer2022.episodes import record_episodes
from hetwin_bauer2022.kind import FlawChoice, Kind
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_futures.deciding import decide
from hetwin_futures.strategies import read_library
from hetwin_suite._study.intervals import probability
from hetwin_suite._study.run_result import Moment
from hetwin_suite._study.study import Study

EXAMPLES = """examples:
  python benchmarks/deciding.py --episodes 2 --keep decided
  python benchmarks/deciding.py --keep decided --json
  python benchmarks/deciding.py --keep decided --stored    # only what is there already
"""
SCENARIO, LIBRARY = "uncertain_environment", "aims"
KINDS = ("random", "chosen", "critical")


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, decide, record again, count and print; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--episodes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2301, help="of the drops")
    parser.add_argument("--futures", type=int, default=8, help="of each aim at most")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, default=Path("decided"), metavar="FOLDER")
    parser.add_argument("--stored", action="store_true", help="only what is kept already")
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    rows = []
    for number in range(1, said.episodes + 1):
        file = said.keep / f"{said.seed}_{number:04d}" / f"scored_{said.futures}.json"
        if not file.exists():
            if said.stored:
                continue
            scored = _scored(file.parent, said.seed, number, said.futures, said.jobs)
            file.write_text(json.dumps(scored), encoding="utf-8")
            print(f"{number}: {scored}", file=sys.stderr, flush=True)
        rows.append(json.loads(file.read_text(encoding="utf-8")))
    if not rows:
        print("nothing is kept yet", file=sys.stderr)
        return 1
    result = {"machine": machine(), "episodes": len(rows), "rows": counted(rows)}
    print(json.dumps(result, indent=2) if said.json else _table(result))
    return 0


def _scored(folder: Path, seed: int, number: int, futures: int, jobs: int) -> dict[str, Any]:
    """Return what came of a random, the chosen and a critical aim, and what deciding took."""
    random = _recorded(folder / "random", seed, number, None)
    episode = folder / "random" / f"drop_{number:04d}"
    study = Study(SCENARIO, RunOptions(source=str(episode)), seed=number, jobs=jobs)
    decision = decide(study, read_library(LIBRARY), Moment(before="move"), futures)
    found: dict[str, Any] = {"random": random, "processor_s": round(decision.processor_s, 2)}
    critical = [one.name for one in decision.tried if one.critical]
    found["called_critical"] = len(critical)
    if decision.chosen is not None:
        name = decision.chosen.name
        found["aim"] = name
        found["chosen"] = _recorded(folder / "chosen", seed, number, aim_of(name))
    if critical:
        name = critical[int(np.random.default_rng((seed, number)).integers(len(critical)))]
        found["critical_aim"] = name
        found["critical"] = _recorded(folder / "critical", seed, number, aim_of(name))
    return found


def _recorded(folder: Path, seed: int, number: int, aim: tuple[float, float] | None) -> bool:
    """Record an episode, if it is not there, and return whether it succeeded."""
    if not (folder / "distribution.json").exists():
        record_episodes(
            *(Kind.DROP, 1, seed, folder), flaw=FlawChoice.NONE, aim=aim, episode=number
        )
    truth = folder / f"drop_{number:04d}" / "truth.json"
    return bool(json.loads(truth.read_text(encoding="utf-8"))["label"] == "success")


def aim_of(name: str) -> tuple[float, float]:
    """Return the aim of a strategy of the library: inside of the rim [m], and bearing [rad]."""
    arguments = read_library(LIBRARY).file.strategies[name][0].arguments
    inside, bearing = (arguments[key] for key in ("inside", "bearing"))
    assert isinstance(inside, int | float)
    assert isinstance(bearing, int | float)
    return float(inside), float(bearing)


def counted(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how many episodes succeeded with each kind of aim."""
    found = []
    for kind in KINDS:
        outcomes = [row[kind] for row in rows if kind in row]
        share = probability(sum(outcomes), len(outcomes))
        found.append(
            {
                "aims": kind,
                "of": share.of,
                "succeeded": sum(outcomes),
                **{key: round(getattr(share, key), 4) for key in ("p", "low", "high")},
            }
        )
    return found


def _table(result: dict[str, Any]) -> str:
    lines = [f"{result['episodes']} drops with sound grasps, recorded with aims that are:"]
    for row in result["rows"]:
        interval = f"{row['low']:.0%} to {row['high']:.0%}"
        lines.append(f"  {row['aims']:9} {row['succeeded']} of {row['of']} succeed ({interval})")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
