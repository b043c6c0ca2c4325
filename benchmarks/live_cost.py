"""Processor time of the twin of a live robot beside that of a replay of the same recording, in pairs.

The recording is replayed, and played by `hetwin robot play` for a twin that follows it over ROS 2 topics, both with all
models in the conductor's process. The cost of starting and ending is that of a run of one second; it is given apart.
The robot stands still before and after its motion, so times are per simulated second.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from live_lag import RUN_LIMIT_S, SILENCE_S, record
from machine import machine

from hetwin_core.ensemble.errors import BadInput

LIVE = json.dumps({"live": "", "timeout": SILENCE_S, "on_silence": "end"})
SHORT_S = 1.0
EXAMPLES = """examples:
  python benchmarks/live_cost.py
  python benchmarks/live_cost.py --scenario baxter_pick_and_place --recording DATA/baxter_pnp_mcap
  python benchmarks/live_cost.py --before ../hetwin_before --pairs 5
"""


@dataclass(frozen=True, slots=True)
class Case:
    """What is run: scenario, recording or episode's folder to play, recording to replay, scene as JSON."""

    scenario: str
    played: Path
    replayed: Path
    scene: str


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor time of the twin's processes.

    Attributes:
        start_s: of a run of one simulated second [s].
        per_second: of each further simulated second [s/s].
        switches: voluntary context switches in each further simulated second [1/s].
        lag: lag of a live twin, see the run's summary.
    """

    start_s: float
    per_second: float
    switches: float
    lag: dict[str, float]


@dataclass(frozen=True, slots=True)
class Pair:
    """One replay and one live run of a tree, and the load before them."""

    tree: str
    load: float
    replay: Cost
    live: Cost

    @property
    def ratio(self) -> float:
        """Live / replay."""
        return self.live.per_second / self.replay.per_second


def measure(tree: Path, name: str, case: Case) -> Pair:
    """Measure one pair with a tree that has hetwin installed in its ``.venv``.

    Raises:
        RuntimeError: if a run fails.
    """
    load = os.getloadavg()[0]
    return Pair(name, load, _cost(tree, case, live=False), _cost(tree, case, live=True))


def _cost(tree: Path, case: Case, *, live: bool) -> Cost:
    short, start = _run(tree, case, ["--duration", str(SHORT_S)], live=live)
    whole, total = _run(tree, case, [], live=live)
    seconds = float(whole["simulated_time"]) - float(short["simulated_time"])
    per_second, switches = ((t - s) / seconds for t, s in zip(total, start, strict=True))
    return Cost(start[0], per_second, switches, whole.get("live") or {})


def _run(
    tree: Path, case: Case, more: Sequence[str], *, live: bool
) -> tuple[dict[str, Any], tuple[float, float]]:
    """Return the outcome of a run, and its processes' processor time [s] and voluntary context switches."""
    hetwin = (str(tree / ".venv" / "bin" / "python"), "-m", "hetwin_suite.cli.command")
    where: dict[str, Any] = {"cwd": tree, "env": _environment()}
    source = LIVE if live else str(case.replayed)
    command = [*hetwin, "run", case.scenario, "--source", source, "--transport", "ros", *more]
    command += ["--in-process", "all", "--scene", case.scene, "--json", "--no-page"]
    play = [*hetwin, "robot", "play", str(case.played), "--wait-for-twin"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    robot = subprocess.Popen(play, **quiet, **where) if live else None
    try:
        with tempfile.TemporaryDirectory(prefix="hetwin_live_") as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            ended = subprocess.run(
                [*command, "--out", f"{folder}/run"],
                capture_output=True,
                text=True,
                timeout=RUN_LIMIT_S,
                **where,
            )
            # the robot's process has not been waited for, so it does not count
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
    finally:
        if robot is not None:
            robot.terminate()
            robot.wait(10.0)
    if ended.returncode not in (0, 1) or not ended.stdout:
        raise RuntimeError((ended.stderr.strip().splitlines() or ["no message"])[-1])
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(ended.stdout), (used, after.ru_nvcsw - before.ru_nvcsw)


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(215 + os.getpid() % 17),  # tests use those up to 101
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


def _print(on: dict[str, Any], pairs: Sequence[Pair]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, {on['system']}, Python {on['python']}\n")
    print(
        "| tree | load | replay [s/s] | live [s/s] | ratio | switches live [1/s] | start replay, live [s]"
        " | lag median, 95 % [ms] |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for pair in pairs:
        replay, live = pair.replay, pair.live
        lag = f"{live.lag.get('lag_median_ms', 0):.1f}, {live.lag.get('lag_p95_ms', 0):.1f}"
        print(
            f"| {pair.tree} | {pair.load:.1f} | {replay.per_second:.3f} | {live.per_second:.3f} | {pair.ratio:.2f}"
            f" | {live.switches:.0f} | {replay.start_s:.2f}, {live.start_s:.2f} | {lag} |"
        )
    for tree in dict.fromkeys(pair.tree for pair in pairs):
        median = statistics.median(pair.ratio for pair in pairs if pair.tree == tree)
        print(f"\n{tree}: median ratio {median:.2f}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if a run cannot be made."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenario", help="with --recording; default: a drop is recorded")
    parser.add_argument("--recording", type=Path, help="the recording to play and to replay")
    parser.add_argument("--before", type=Path, help="another tree, measured in turn")
    parser.add_argument("--pairs", type=int, default=5, help="per tree (default: 5)")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if (given.scenario is None) != (given.recording is None):
        parser.error("--scenario and --recording: found one of them, expected both or none")
    if given.pairs < 1:
        parser.error(f"--pairs: found {given.pairs}, expected at least 1")
    on = machine()
    trees = {"this": Path(__file__).resolve().parent.parent}
    if given.before is not None:
        trees = {"before": given.before.resolve(), **trees}
    pairs: list[Pair] = []
    try:
        with tempfile.TemporaryDirectory(prefix="hetwin_episodes_") as folder:
            if given.recording is None:
                (episode,) = record("drop", 1, 4242, Path(folder, "episodes"))
                scene = json.dumps(episode.scene)
                case = Case(episode.scenario, episode.folder, episode.recording, scene)
            else:
                played = given.recording.resolve()
                case = Case(given.scenario, played, played, "{}")
            for _ in range(given.pairs):
                for name, tree in trees.items():
                    pairs.append(measure(tree, name, case))
                    told = f"{name}: ratio {pairs[-1].ratio:.2f}"
                    print(told, file=sys.stderr, flush=True)
    except (RuntimeError, BadInput, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        rows = [{**asdict(pair), "ratio": pair.ratio} for pair in pairs]
        print(json.dumps({"machine": on, "rows": rows}, indent=2))
    else:
        _print(on, pairs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
