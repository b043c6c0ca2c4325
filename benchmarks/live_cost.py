"""Processor time of the twin of a live robot beside that of a replay of the same recording, in pairs.

The recording is replayed, and played by `hetwin robot play` for a twin that follows it over ROS 2 topics; both runs
step all models in one process and write a log. The recording is also replayed in real time: a process that sleeps
between its steps finds less of its data in the caches, on a busy machine above all, so that the same steps cost more.
All threads of the process are counted from the first state to the last, without start and end. The robot stands still
before and after its motion, so times are per simulated second.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from live_lag import HETWIN, RUN_LIMIT_S, SILENCE_S, record
from machine import machine

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.judged_run import RunJudge
from hetwin_suite.runs import RunListener, RunLog, session

LIVE = {"live": "", "timeout": SILENCE_S, "on_silence": "end"}
AT_ONCE, IN_REAL_TIME = "at once", "in real time"
EXAMPLES = """examples:
  python benchmarks/live_cost.py
  python benchmarks/live_cost.py --scenario baxter_pick_and_place --recording DATA/baxter_pnp_mcap
  python benchmarks/live_cost.py --before ../hetwin_before --pairs 5
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one run.

    Attributes:
        per_second: processor time per simulated second [s/s].
        lag_ms: median and 99th percentile of the lag behind the robot; 0 in a replay.
    """

    per_second: float
    lag_ms: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pair:
    """A replay, one in real time and a live run of a tree, and the load before them."""

    tree: str
    load: float
    replay: Cost
    in_real_time: Cost
    live: Cost

    @property
    def ratio(self) -> float:
        """Live / replay."""
        return self.live.per_second / self.replay.per_second

    @property
    def listening(self) -> float:
        """Live / replay in real time."""
        return self.live.per_second / self.in_real_time.per_second


class Meter(RunListener):
    """Measures processor time between the first and the last state, and the lag of each state.

    Args:
        in_real_time: whether each state waits for its time.
    """

    needs_each_state = False

    def __init__(self, *, in_real_time: bool) -> None:
        self._in_real_time, self._begun_s = in_real_time, time.monotonic()
        self.conductor: Any = None
        self.first: tuple[float, int] | None = None
        self.last = 0.0, 0
        self.lags: list[float] = []

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Note the processor time, the simulated time and the lag."""
        self.last = time.process_time(), scene.time_ns
        if self.first is None:
            self.first, self._begun_s = self.last, time.monotonic() - scene.time_ns / 1e9
        if self._in_real_time:
            time.sleep(max(0.0, self._begun_s + scene.time_ns / 1e9 - time.monotonic()))
        if self.conductor.lag_s is not None:
            self.lags.append(1e3 * self.conductor.lag_s)

    def cost(self) -> Cost:
        """Return the cost of the run."""
        assert self.first is not None, "the run has no state"
        seconds = (self.last[1] - self.first[1]) / 1e9
        ranks = np.quantile(self.lags or [0.0], (0.5, 0.99)).tolist()
        return Cost((self.last[0] - self.first[0]) / seconds, (ranks[0], ranks[1]))


def run_once(scenario: str, source: str, scene: str, pace: str) -> Cost:
    """Run a scenario in this process; `IN_REAL_TIME` is the pace of a replay that waits for the time of each state.

    Raises:
        RuntimeError: if the run fails.
    """
    meter = Meter(in_real_time=pace == IN_REAL_TIME)
    with tempfile.TemporaryDirectory(prefix="hetwin_live_") as folder:
        log = RunLog(Path(folder, "run"))
        options = RunOptions(source=source, scene=json.loads(scene))
        meter.conductor = session(scenario, options=options, listeners=[log, RunJudge(log), meter])
        summary = meter.conductor.run()
    if summary.ended == "failed":
        raise RuntimeError(f"the run failed: {summary.error}")
    return meter.cost()


def measure(tree: Path, name: str, run: Sequence[str], played: Path, replayed: Path) -> Pair:
    """Measure one pair, and a replay in real time, with a tree that has hetwin installed in its ``.venv``.

    Args:
        tree: the tree.
        name: its name in the table.
        run: the scenario, and its scene as JSON.
        played: the recording, or the episode's folder, that the robot plays.
        replayed: the recording that is replayed.

    Raises:
        RuntimeError: if a run fails.
    """
    load = os.getloadavg()[0]
    where: dict[str, Any] = {"cwd": tree, "env": _environment()}
    python = str(tree / ".venv" / "bin" / "python")
    recorded = run[0], str(replayed), run[1]
    replay = _once(python, [*recorded, AT_ONCE], where)
    in_real_time = _once(python, [*recorded, IN_REAL_TIME], where)
    play = [python, *HETWIN[1:], "robot", "play", str(played), "--wait-for-twin"]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    robot = subprocess.Popen(play, **quiet, **where)
    try:
        live = _once(python, [run[0], json.dumps(LIVE), run[1], AT_ONCE], where)
    finally:
        robot.terminate()
        robot.wait(10.0)
    return Pair(name, load, replay, in_real_time, live)


def _once(python: str, run: Sequence[str], where: dict[str, Any]) -> Cost:
    command = [python, str(Path(__file__).resolve()), "--once", *run]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=RUN_LIMIT_S, **where)
    if ended.returncode != 0:
        raise RuntimeError((ended.stderr.strip().splitlines() or ["no message"])[-1])
    found = json.loads(ended.stdout.strip().splitlines()[-1])
    median, high = found["lag_ms"]
    return Cost(found["per_second"], (median, high))


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(215 + os.getpid() % 17),  # tests use those up to 101
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


def _row(pair: Pair) -> str:
    median, high = pair.live.lag_ms
    each = pair.replay, pair.in_real_time, pair.live
    costs = " | ".join(f"{cost.per_second:.3f}" for cost in each)
    costs += f" | {pair.ratio:.2f} | {pair.listening:.2f}"
    return f"| {pair.tree} | {pair.load:.1f} | {costs} | {median:.1f} | {high:.1f} |"


def _print(on: dict[str, Any], pairs: Sequence[Pair]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, {on['system']}, Python {on['python']}\n")
    print(
        "| tree | load | replay [s/s] | in real time | live | live / replay | live / in real time"
        " | lag median [ms] | 99 % |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for pair in pairs:
        print(_row(pair))
    for tree in dict.fromkeys(pair.tree for pair in pairs):
        own = [pair for pair in pairs if pair.tree == tree]
        ratio = statistics.median(pair.ratio for pair in own)
        listening = statistics.median(pair.listening for pair in own)
        print(f"\n{tree}: median {ratio:.2f} of a replay, {listening:.2f} of one in real time")


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
    parser.add_argument("--once", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if (given.scenario is None) != (given.recording is None):
        parser.error("--scenario and --recording: found one of them, expected both or none")
    if given.pairs < 1:
        parser.error(f"--pairs: found {given.pairs}, expected at least 1")
    try:
        if given.once:
            print(json.dumps(asdict(run_once(*given.once))))
            return 0
        on = machine()
        pairs = _pairs(given)
    except (RuntimeError, BadInput, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        rows = [{**asdict(p), "ratio": p.ratio, "listening": p.listening} for p in pairs]
        print(json.dumps({"machine": on, "rows": rows}, indent=2))
    else:
        _print(on, pairs)
    return 0


def _pairs(given: argparse.Namespace) -> list[Pair]:
    trees = {"this": Path(__file__).resolve().parent.parent}
    if given.before is not None:
        trees = {"before": given.before.resolve(), **trees}
    pairs: list[Pair] = []
    with tempfile.TemporaryDirectory(prefix="hetwin_episodes_") as folder:
        if given.recording is None:
            (episode,) = record("drop", 1, 4242, Path(folder, "episodes"))
            run = episode.scenario, json.dumps(episode.scene)
            played, replayed = episode.folder, episode.recording
        else:
            run, played = (given.scenario, "{}"), given.recording.resolve()
            replayed = played
        for _ in range(given.pairs):
            for name, tree in trees.items():
                pairs.append(measure(tree, name, run, played, replayed))
                print(_row(pairs[-1]), file=sys.stderr, flush=True)
    return pairs


if __name__ == "__main__":
    sys.exit(main())
