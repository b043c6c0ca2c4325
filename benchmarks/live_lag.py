"""Plays recorded episodes live, and measures the twin's lag behind the robot and the equality of the verdicts.

Each episode is run twice: replayed, and live, where `hetwin robot` publishes it as a robot would and the twin
follows over ROS 2 topics with all models, publishing its states. The lag of a state is the time of its publication
minus the stamp of the newest joint sample in it. The verdict is the twin's at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from machine import machine

from hetwin_bauer2022.evaluation.approaches import reports_success, task_of
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.engines.factory import AUTO, engine_names

HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")
RUN_LIMIT_S = 180.0
SILENCE_S = 2.5
AIM_MS = 20.0

EXAMPLES = """examples:
  python benchmarks/live_lag.py
  python benchmarks/live_lag.py --kind insertion --count 5
  python benchmarks/live_lag.py --engine gz --aim 40
  python benchmarks/live_lag.py --episodes my_episodes --json > lag.json
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One episode: verdicts (None if the run failed) and the lag in ms."""

    episode: str
    truth: bool
    replayed: bool | None
    live: bool | None
    states: int
    lag_median_ms: float
    lag_p95_ms: float
    lag_max_ms: float
    steps_left_out: int

    @property
    def equal(self) -> bool:
        """Whether the verdicts live and replayed are equal."""
        return self.live is not None and self.live is self.replayed


def play(episode: LabelledEpisode, isolated: bool, engine: str | None) -> Row:
    """Replay an episode, then play it live, both with an engine; None: the scenario's."""
    chosen = [] if engine is None else ["--engine", engine]
    replayed = _run(episode, str(episode.recording), chosen)
    spec = {"live": "", "timeout": SILENCE_S, "on_silence": "end"}
    transport = ["--transport", "ros", *([] if isolated else ["--in-process", "all"])]
    transport += chosen
    with _robot(episode):
        live = _run(episode, json.dumps(spec), transport)
    lag = live.get("live") or {}
    median, p95, most = (
        float(lag.get(f"lag_{name}_ms", "nan")) for name in ("median", "p95", "max")
    )
    return Row(
        episode.name,
        episode.success,
        _verdict(episode, replayed),
        _verdict(episode, live),
        int(lag.get("states", 0)),
        median,
        p95,
        most,
        sum(n for name, n in live["counters"].items() if name.startswith("steps left out")),
    )


def _verdict(episode: LabelledEpisode, outcome: dict[str, Any]) -> bool | None:
    if outcome["ended"] == "failed":
        return None
    return reports_success(task_of(episode.scenario), outcome["state"])


def _run(episode: LabelledEpisode, source: str, more: Sequence[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="hetwin_live_") as folder:
        command = [*HETWIN, "run", episode.scenario, "--source", source, *more]
        command += ["--scene", json.dumps(episode.scene)]
        command += ["--json", "--no-page", "--out", f"{folder}/run"]
        ended = subprocess.run(
            command, env=_environment(), capture_output=True, text=True, timeout=RUN_LIMIT_S
        )
    if ended.returncode not in (0, 1) or not ended.stdout:
        said = (ended.stderr.strip().splitlines() or ["no word"])[-1]
        raise RuntimeError(f"{episode.name}: ended with code {ended.returncode}: {said}")
    outcome: dict[str, Any] = json.loads(ended.stdout)
    return outcome


@contextmanager
def _robot(episode: LabelledEpisode) -> Iterator[None]:
    command = [*HETWIN, "robot", "play", str(episode.folder), "--wait-for-twin"]
    process = subprocess.Popen(
        command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(10.0)


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(215 + os.getpid() % 17),  # tests use those up to 101
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


def record(kind: str, count: int, seed: int, folder: Path) -> list[LabelledEpisode]:
    """Record episodes to play."""
    command = [*HETWIN, "record", kind, "-n", str(count), "--seed", str(seed)]
    command += ["--out", str(folder), "--jobs", str(len(os.sched_getaffinity(0)))]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return find_episodes(folder)


def _print(on: dict[str, Any], engine: str | None, rows: Sequence[Row], aim_ms: float) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    print(f"engine: {engine or 'of the scenario'}")
    print(f"{on['system']}, Python {on['python']}, {on['date']}\n")
    print("| episode | truth | replayed | live | lag median [ms] | 95 % | most | left out |")
    print("|---|---|---|---|---|---|---|---|")
    words = {True: "success", False: "failure", None: "failed run"}
    for row in rows:
        verdicts = f"{words[row.truth]} | {words[row.replayed]} | {words[row.live]}"
        lags = f"{row.lag_median_ms:.1f} | {row.lag_p95_ms:.1f} | {row.lag_max_ms:.1f}"
        print(f"| {row.episode} | {verdicts} | {lags} | {row.steps_left_out} |")
    equal = sum(row.equal for row in rows)
    within = sum(row.lag_p95_ms < aim_ms for row in rows)
    print(f"\nverdicts equal: {equal} of {len(rows)}; 95 % under {aim_ms:g} ms: {within}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, play, print; 1 if a verdict differs or a run cannot be made."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--episodes", type=Path, help="a folder of them; default: record some")
    parser.add_argument("--kind", choices=("drop", "insertion"), default="drop")
    parser.add_argument("--count", type=int, default=20, help="episodes (default: 20)")
    parser.add_argument("--seed", type=int, default=4242, help="of the recorder (default: 4242)")
    parser.add_argument(
        "--isolated", action="store_true", help="one process per model, not all in the conductor's"
    )
    parser.add_argument(
        "--engine", choices=(AUTO, *engine_names()), help="physics engine (default: the scenario's)"
    )
    parser.add_argument(
        "--aim", type=float, default=AIM_MS, help=f"lag to stay under in ms (default: {AIM_MS:g})"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.count < 1:
        parser.error(f"--count: found {given.count}, expected at least 1")
    on = machine()
    rows: list[Row] = []
    try:
        with tempfile.TemporaryDirectory(prefix="hetwin_episodes_") as folder:
            episodes = (
                find_episodes(given.episodes)
                if given.episodes
                else record(given.kind, given.count, given.seed, Path(folder, "episodes"))
            )[: given.count]
            for number, episode in enumerate(episodes, 1):
                rows.append(play(episode, given.isolated, given.engine))
                row = rows[-1]
                told = f"{number}/{len(episodes)} {row.episode}: live {row.live}, replayed {row.replayed}"
                print(f"{told}, lag {row.lag_p95_ms:.1f} ms (95 %)", file=sys.stderr, flush=True)
    except (RuntimeError, BadInput, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        listed = [asdict(row) for row in rows]
        print(json.dumps({"machine": on, "engine": given.engine, "rows": listed}, indent=2))
    else:
        _print(on, given.engine, rows, given.aim)
    return 0 if all(row.equal for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
