"""Measures the physics engines' real-time factors on an idle machine and with busy loops beside.

The full ensemble replays a drop and an insertion, each run in a separate process, the engines in turn. Some more
processes that never rest stand for what else a machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from engines import BAD_INPUT, Run, play_apart
from machine import machine

from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_core.ensemble.errors import HetwinError
from model_nodes.main_physics.engines.factory import engine_names, make_engine

EXAMPLES = """examples:
  python benchmarks/engine_speed.py
  python benchmarks/engine_speed.py --engine gz --busy 0 --rounds 1
  python benchmarks/engine_speed.py --episodes drops --episodes insertions --json
"""
APPROACH = "ensemble"
SPIN = (sys.executable, "-c", "while True: pass")


@dataclass(frozen=True, slots=True)
class Speed:
    """One engine on one episode beside so many busy loops.

    Attributes:
        factors: real-time factor of each round.
        processor_time: of each round, without what Python needs to start [s].
        load: of the machine after the rounds, over a minute.
    """

    episode: str
    scenario: str
    engine: str
    busy: int
    factors: list[float]
    processor_time: list[float]
    load: float


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep as many processes busy."""
    loops = [subprocess.Popen(SPIN) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def measure(
    episodes: Sequence[LabelledEpisode], engines: Sequence[str], loops: int, rounds: int
) -> Iterator[Speed]:
    """Replay each episode with the engines in turn, `rounds` times, beside busy loops."""
    for episode in episodes:
        factors: dict[str, list[float]] = {engine: [] for engine in engines}
        seconds: dict[str, list[float]] = {engine: [] for engine in engines}
        with busy(loops):
            for _ in range(rounds):
                for engine in engines:
                    seen = play_apart(Run(episode, APPROACH, engine))
                    factors[engine].append(seen.verdict.real_time_factor)
                    seconds[engine].append(seen.processor_time)
                    told = (
                        f"{episode.name}, {loops} busy loops, {engine}: {factors[engine][-1]:.2f}"
                    )
                    print(told, file=sys.stderr, flush=True)
        load = os.getloadavg()[0]
        for engine in engines:
            yield Speed(
                episode.name,
                episode.scenario,
                engine,
                loops,
                factors[engine],
                seconds[engine],
                load,
            )


def record(folder: Path) -> list[LabelledEpisode]:
    """Record one drop and one insertion."""
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "record"]
    found = []
    for kind in ("drop", "insertion"):
        out = folder / kind
        more = ["-n", "1", "--seed", "4711", "--out", str(out)]
        subprocess.run([*command, kind, *more], check=True, stdout=subprocess.DEVNULL)
        found += find_episodes(out)
    return found


def _print(on: dict[str, Any], rows: Sequence[Speed]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    print(f"{on['system']}, Python {on['python']}, {on['date']}\n")
    print("| episode | engine | busy loops | real-time factor | of | processor [s] | load |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        among = ", ".join(f"{factor:.2f}" for factor in sorted(row.factors))
        figures = f"{statistics.median(row.factors):.2f} | {among}"
        spent = f"{statistics.median(row.processor_time):.1f} | {row.load:.1f}"
        print(f"| {row.episode} | `{row.engine}` | {row.busy} | {figures} | {spent} |")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--episodes",
        type=Path,
        action="append",
        help="folder, as of hetwin record, whose first is played; default: record a drop and an insertion",
    )
    parser.add_argument("--engine", action="append", choices=engine_names(), help="default: all")
    parser.add_argument(
        "--busy", type=int, action="append", help="busy loops beside (default: 0, then 2)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of each (default: 3)")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.rounds < 1:
        parser.error(f"--rounds: found {given.rounds}, expected at least 1")
    engines: list[str] = given.engine or list(reversed(engine_names()))
    on = machine()
    try:
        for engine in engines:
            make_engine(engine).close()
        with tempfile.TemporaryDirectory(prefix="hetwin_speed_") as folder:
            found = [find_episodes(path.resolve())[0] for path in given.episodes or ()]
            episodes = found or record(Path(folder))
            rows = [
                speed
                for loops in given.busy or (0, 2)
                for speed in measure(episodes, engines, loops, given.rounds)
            ]
    except (ImportError, HetwinError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    except (BrokenProcessPool, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        print(json.dumps({"machine": on, "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        _print(on, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
