"""Scores what `hetwin learn` finds: thresholds from wrong ones, and how often actions succeed.

Insertions: the cylinders of the connector are made ten times too large. Drops: the distance of the trigger of the grasp
is made ten times too large, and ten and a hundred times too small. Forty labelled episodes are learned from, sixty
others are judged. Two hundred drops: how often actions succeed is learned from the first half, and forecasts of the
second are scored; and one container is left out of all, to see what is said about it from its kin. Episodes and what
was seen of them are kept in a folder, so that a later run goes on from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kept_drops import kept_drop, kept_insertion
from learning_scores import forecast_row, kin_rows, threshold_row, wrong_scenario
from machine import machine
from watched_drops import Both

from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.episodes.labelled import read_labelled
from hetwin_learning.action_watch import ActionWatcher
from hetwin_learning.model_thresholds import ModelThresholds
from hetwin_learning.replays import replay_episodes
from hetwin_learning.trigger_thresholds import TriggerThresholds
from hetwin_suite._study.run_result import RunResult
from hetwin_suite._study.study import Study

EXAMPLES = """examples:
  python benchmarks/learning.py --keep learned                    # some hours of one core
  python benchmarks/learning.py --keep learned --what model --json
  python benchmarks/learning.py --keep learned --stored           # only the episodes that are there already
"""
WHAT = ("model", "trigger", "success")
LEARNED, JUDGED, DROPS, OF_A_SEED = 40, 60, 200, 10
INSERTIONS, CONNECTOR, CYLINDER = "insertion", "spu", ("lock_radius", "lock_length")
FIRST_SEED = 200
"""Of the insertions, ten of each seed."""
SCENARIO, TRIGGER = "uncertain_environment", "grasp_begins"
LEFT_OUT = "tray"


@dataclass(frozen=True)
class Kept:
    """Where episodes are kept, and whether others are recorded."""

    folder: Path
    seed: int
    stored: bool
    jobs: int

    @property
    def seen(self) -> Path:
        """What was seen of them."""
        return self.folder / "seen"


def main(arguments: Sequence[str] | None = None) -> int:
    """Record, learn, judge and print; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--what", choices=WHAT, action="append", help="default: all")
    parser.add_argument("--seed", type=int, default=2403, help="of the drops")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("learned"), metavar="FOLDER")
    parser.add_argument(
        "--stored", action="store_true", help="only episodes that are there already"
    )
    parser.add_argument("--json", action="store_true")
    said = parser.parse_args(arguments)
    kept = Kept(said.keep, said.seed, said.stored, said.jobs)
    what = said.what or WHAT
    found: dict[str, Any] = {"machine": machine()}
    if "model" in what:
        found["model"] = _of_model(kept)
    if "trigger" in what or "success" in what:
        found |= _of_drops(kept, what)
    print(json.dumps(found, indent=2))
    return 0


def _of_model(kept: Kept) -> list[dict[str, Any]]:
    """Judge cylinders that are learned from ones that are ten times too large."""
    episodes = []
    for number in range(LEARNED + JUDGED):
        place = (FIRST_SEED + number // OF_A_SEED, 1 + number % OF_A_SEED)
        folder = kept_insertion(kept.folder, *place, stored=kept.stored)
        episodes += [] if folder is None else [read_labelled(folder)]
    hand = ModelThresholds(find_scenario(INSERTIONS), None, CONNECTOR)
    values = {one.name: one.value for one in hand.thresholds()}
    large = [10.0 * values[name] if name in CYLINDER else values[name] for name in values]
    wrong = ModelThresholds(
        wrong_scenario(kept.folder / "large.yaml", hand, large), None, CONNECTOR
    )
    study = Study(hand, jobs=kept.jobs, progress=_tell)
    seen = replay_episodes(study, [one.folder for one in episodes], kept.seen)
    labels = [one.label() for one in episodes]
    return [threshold_row("cylinders times 10", wrong, hand, seen, labels, LEARNED)]


def _of_drops(kept: Kept, what: Sequence[str]) -> dict[str, Any]:
    episodes = []
    for number in range(1, 1 + (DROPS if "success" in what else LEARNED + JUDGED)):
        drop = kept_drop(kept.folder, kept.seed, number, stored=kept.stored)
        episodes += [] if drop is None else [read_labelled(drop.folder)]
    path, found = find_scenario(SCENARIO), dict[str, Any]()
    hand = TriggerThresholds(path, None, TRIGGER)
    watcher = Both(path, None, hand, ActionWatcher(path, None))
    study = Study(watcher, jobs=kept.jobs, progress=_tell)
    seen = replay_episodes(study, [one.folder for one in episodes], kept.seen)
    if "trigger" in what:
        few, moments = episodes[: LEARNED + JUDGED], [one[0] for one in seen]
        labels = [one.label("held") for one in few]
        found["trigger"] = list(_of_trigger(kept, hand, moments[: len(few)], labels))
    if "success" in what:
        actions, half = [one[1] for one in seen], len(episodes) // 2
        scenario = load_scenario(path)
        found["success"] = forecast_row(scenario, episodes, actions, half)
        found["kin"] = kin_rows(scenario, episodes, actions, LEFT_OUT)
    return found


def _of_trigger(
    kept: Kept, hand: TriggerThresholds, moments: Sequence[Any], labels: Sequence[bool]
) -> Iterator[dict[str, Any]]:
    """Judge distances that are learned from wrong ones."""
    for factor in (10.0, 0.1, 0.01):
        values = [factor * one.value for one in hand.thresholds()]
        file = wrong_scenario(kept.folder / f"distance_times_{factor:g}.yaml", hand, values)
        wrong = TriggerThresholds(file, None, TRIGGER)
        yield threshold_row(f"distance times {factor:g}", wrong, hand, moments, labels, LEARNED)


def _tell(run: RunResult) -> None:
    print(f"{run.index} looked at", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
