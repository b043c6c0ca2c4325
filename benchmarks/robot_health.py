"""Measures whether robot_health says what is true: of random changes, of healthy episodes, and at which cost.

Each change of a healthy pick-and-place is named with the right kind, link or joint within 0.2 s, and the verdict is not
fine. Recorded drops and insertions, of which many fail as real ones do, have no warning.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml
from health_changes import BASE, Change, Healthy, Limits, draw_changes
from health_recording import read_recording
from health_sweep import Sweep
from machine import machine

from hetwin_bauer2022.episodes import record_episodes
from hetwin_bauer2022.kind import Kind
from hetwin_core.ensemble.resources import resource
from hetwin_suite import run
from hetwin_suite.episode import open_episode

EXAMPLES = """examples:
  python benchmarks/robot_health.py
  python benchmarks/robot_health.py --changes 7 --episodes 0 --pairs 0
  python benchmarks/robot_health.py --seed 5 --json
"""
WITHIN_S = 0.2
SCENARIOS = {Kind.DROP: "uncertain_environment", Kind.INSERTION: "insertion"}


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What was said of a change.

    Attributes:
        kind: of the change.
        expected: what is to be said, and of what.
        at: when it begins [s].
        found: whether it was said, within 0.2 s.
        late: how much later than it begins the concern begins [s]; None if it was not found.
        verdict: of the run.
        said: all warnings and worse.
    """

    kind: str
    expected: str
    at: float
    found: bool
    late: float | None
    verdict: str
    said: list[str]

    @property
    def right(self) -> bool:
        """Whether it was found, and is not called fine."""
        return self.found and self.verdict != "fine"


@dataclass(frozen=True, slots=True)
class EpisodeRow:
    """What was said of a healthy episode: all warnings and worse."""

    name: str
    verdict: str
    said: list[str]


@dataclass(frozen=True, slots=True)
class CostRow:
    """Processor time of runs with and without robot_health [s], and the median of the pairs' ratios."""

    scenario: str
    with_it: list[float]
    without_it: list[float]
    ratio: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; returns 1 unless all of it is right."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as folder:
        changes = judge_changes(options.changes, options.seed, Path(folder))
        episodes = judge_episodes(options.episodes, options.seed, Path(folder))
        costs = [measure_cost(BASE, options.pairs, Path(folder))] if options.pairs else []
    if options.json:
        rows = {
            "changes": [asdict(row) for row in changes],
            "episodes": [asdict(row) for row in episodes],
            "cost": [asdict(row) for row in costs],
        }
        print(json.dumps({"machine": machine(), **rows}))
    else:
        _print(changes, episodes, costs)
    warned = sum(row.verdict != "fine" for row in episodes)
    return 0 if all(row.right for row in changes) and warned <= 1 else 1


def judge_changes(count: int, seed: int, folder: Path) -> list[ChangeRow]:
    """Draw changes, run them and judge what is said of them."""
    if not count:
        return []
    healthy = healthy_base(folder)
    return [
        judge_change(change, folder / f"change_{i:03d}")
        for i, change in enumerate(draw_changes(healthy, count, seed))
    ]


def healthy_base(folder: Path) -> Healthy:
    """The base that is changed; it is run once."""
    summary = run(BASE, out=folder / "healthy")
    if summary.verdict != "fine":
        raise SystemExit(f"the base is not healthy: {[c['text'] for c in summary.concerns]}")
    recording = read_recording(resource("scenarios", "episodes", BASE))
    return Healthy(
        recording,
        _limits(resource("urdf", "tabletop_arm.urdf")),
        Sweep.of(open_episode(summary.folder)),
    )


def judge_change(change: Change, folder: Path) -> ChangeRow:
    """Run a change in a new folder and judge what is said of it."""
    summary = run(change.write(folder), out=folder / "run")
    concerns: list[dict[str, Any]] = [dict(c) for c in summary.concerns]
    said = [c for c in concerns if c["severity"] != "note"]
    right = [c for c in said if change.is_said_by(c, WITHIN_S)]
    row = ChangeRow(
        change.kind,
        f"{' or '.join(change.names)} {dict(change.about)}",
        change.at,
        bool(right),
        min((c["from"] - change.at for c in right), key=abs, default=None),
        summary.verdict,
        _said(said),
    )
    _progress(f"{row.kind}: {'found' if row.right else 'MISSED'}")
    return row


def judge_episodes(count: int, seed: int, folder: Path) -> list[EpisodeRow]:
    """Record drops and insertions, run them and list what is said of them."""
    rows: list[EpisodeRow] = []
    for kind, scenario in SCENARIOS.items() if count else ():
        out = folder / kind.value
        record_episodes(kind, count, seed, out)
        folders = sorted(path for path in out.iterdir() if path.is_dir())
        rows += [_episode(scenario, episode) for episode in folders]
    return rows


def _episode(scenario: str, episode: Path) -> EpisodeRow:
    scene = json.loads((episode / "scene.json").read_text(encoding="utf-8"))["scene"]
    summary = run(scenario, source=episode / "recording", scene=scene, out=episode / "run")
    said = _said(dict(c) for c in summary.concerns if c["severity"] != "note")
    _progress(f"{episode.name}: {summary.verdict}")
    return EpisodeRow(episode.name, summary.verdict, said)


def measure_cost(scenario: str, pairs: int, folder: Path) -> CostRow:
    """Run a scenario with and without robot_health in turn, after one run of each that does not count."""
    off = folder / "off.yaml"
    file = resource("scenarios", f"{scenario}.yaml")
    off.write_text(yaml.safe_dump({"extends": str(file), "robot_health": "off"}), encoding="utf-8")
    found: dict[bool, list[float]] = {True: [], False: []}
    for pair in range(pairs + 1):
        order = (True, False) if pair % 2 else (False, True)
        for watched in order:
            begun = time.process_time()
            run(file if watched else off, out=folder / f"cost_{pair}_{watched}")
            if pair:
                found[watched].append(time.process_time() - begun)
    ratios = [a / b for a, b in zip(found[True], found[False], strict=True)]
    return CostRow(scenario, found[True], found[False], statistics.median(ratios))


def _limits(urdf: Path) -> dict[str, Limits]:
    found = {}
    for joint in ET.parse(urdf).getroot().iter("joint"):
        limit = joint.find("limit")
        if limit is not None:
            numbers = (float(limit.attrib[key]) for key in ("lower", "upper", "velocity", "effort"))
            found[joint.attrib["name"]] = Limits(*numbers)
    return found


def _said(concerns: Iterable[dict[str, Any]]) -> list[str]:
    return [f"{c['severity']} at {c['from']:.2f} s: {c['text']}" for c in concerns]


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _print(
    changes: Sequence[ChangeRow], episodes: Sequence[EpisodeRow], costs: Sequence[CostRow]
) -> None:
    for kind in dict.fromkeys(row.kind for row in changes):
        rows = [row for row in changes if row.kind == kind]
        late = [abs(row.late) for row in rows if row.late is not None]
        print(
            f"{kind:20s} {sum(r.right for r in rows):3d} of {len(rows):3d}"
            f"   off by at most {max(late, default=float('nan')):.3f} s"
        )
        for row in rows:
            if not row.right:
                print(f"    missed: {row.expected} at {row.at:.2f} s; {row.verdict}: {row.said}")
    if episodes:
        warned = [row for row in episodes if row.verdict != "fine"]
        print(f"{'healthy episodes':20s} {len(warned):3d} of {len(episodes):3d} with a warning")
        for episode in warned:
            print(f"    {episode.name}: {episode.said}")
    for cost in costs:
        print(
            f"{cost.scenario}: {100 * (cost.ratio - 1):+.1f} % of processor time, {len(cost.with_it)} pairs"
        )


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changes", type=int, default=40, help="number of changes (40)")
    parser.add_argument("--episodes", type=int, default=20, help="drops, and insertions (20 each)")
    parser.add_argument("--pairs", type=int, default=7, help="pairs of runs for the cost (7)")
    parser.add_argument("--seed", type=int, default=1, help="of changes and episodes (1)")
    parser.add_argument("--json", action="store_true", help="print all rows as JSON")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
