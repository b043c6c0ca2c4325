"""Compares the physics engines: verdicts on recorded episodes and real-time factors, played side by side.

Every episode is replayed in every approach with one engine right after the other, each run in a separate process,
so that a slow phase of the machine affects both. Folders of episodes are interleaved, their episodes in the order
of their names, so that an early end does not bias the selection. Each verdict is appended to a file at once, and a
later run continues from there.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from itertools import zip_longest
from math import isfinite
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from machine import machine

from hetwin_bauer2022.evaluation.approaches import APPROACHES, RULES
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, find_episodes
from hetwin_bauer2022.evaluation.judge import Verdict, judge
from hetwin_bauer2022.evaluation.table2 import cells
from hetwin_core.ensemble.errors import HetwinError
from model_nodes.main_physics.engines.factory import engine_names, make_engine

EXAMPLES = """examples:
  hetwin record drop -n 10 --seed 20262 --out drops
  hetwin record insertion -n 10 --seed 20263 --out insertions
  python benchmarks/engines.py --episodes drops --episodes insertions
  python benchmarks/engines.py --episodes drops --first 3 --approach ensemble
  python benchmarks/engines.py --episodes drops --episodes insertions --first 50 --limit 0   # what was played so far
"""
PLAYED = tuple(approach for approach in APPROACHES if approach not in RULES)
BAD_INPUT = 2


@dataclass(frozen=True, slots=True)
class Run:
    """One episode in one approach with one engine."""

    episode: LabelledEpisode
    approach: str
    engine: str

    @property
    def key(self) -> tuple[str, str, str]:
        """Identifies the run."""
        return str(self.episode.folder), self.approach, self.engine


@dataclass(frozen=True, slots=True)
class Seen:
    """The result of a run; `processor_time` is that of its process from the scenario's start on [s]."""

    engine: str
    verdict: Verdict
    processor_time: float

    @property
    def key(self) -> tuple[str, str, str]:
        """As `Run.key`."""
        return self.verdict.episode, self.verdict.approach, self.engine

    def line(self) -> str:
        """Return the line of the file."""
        told = {"engine": self.engine, "processor_time": self.processor_time}
        return json.dumps(told | asdict(self.verdict))

    @classmethod
    def read(cls, line: str) -> Seen:
        """Parse a line."""
        told: dict[str, Any] = json.loads(line)
        return cls(
            told.pop("engine"), processor_time=told.pop("processor_time"), verdict=Verdict(**told)
        )


def in_turn(folders: Sequence[Path], first: int) -> list[LabelledEpisode]:
    """Return the first episodes of each folder, interleaved."""
    found = [find_episodes(folder.resolve())[:first] for folder in folders]
    return [episode for turn in zip_longest(*found) for episode in turn if episode is not None]


def play(run: Run) -> Seen:
    """Replay an episode."""
    begun = time.process_time()
    verdict = judge(run.episode, run.approach, engine=run.engine)
    return Seen(run.engine, verdict, time.process_time() - begun)


def play_apart(run: Run) -> Seen:
    """Replay an episode in a separate process.

    Raises:
        BrokenProcessPool: if the process dies.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(play, run).result()


def play_all(runs: Sequence[Run], file: Path, limit_s: float) -> Iterator[Seen]:
    """Replay the runs that are not in the file yet; yields the results of all runs."""
    known = {}
    if file.exists():
        known = {s.key: s for s in map(Seen.read, file.read_text("utf-8").splitlines())}
    end = time.monotonic() + limit_s
    for number, run in enumerate(runs, 1):
        if run.key not in known and time.monotonic() < end:
            seen = play_apart(run)
            with file.open("a", encoding="utf-8") as out:
                out.write(seen.line() + "\n")
            known[run.key] = seen
            mark = "right" if seen.verdict.right else "WRONG"
            name = f"{run.episode.name} {run.approach} {run.engine}"
            print(f"{number}/{len(runs)} {name}: {mark}", file=sys.stderr, flush=True)
        if run.key in known:
            yield known[run.key]


def only_complete(seen: Sequence[Seen], engines: Sequence[str]) -> list[Seen]:
    """Return the results of the runs that were made with all engines."""
    done = {e: {s.key[:2] for s in seen if s.engine == e} for e in engines}
    common = set.intersection(*done.values())
    return [s for s in seen if s.key[:2] in common]


def rows(seen: Sequence[Seen], engines: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row for each scenario, truth and approach: right verdicts and the medians of every engine."""
    table: dict[tuple[str, str, str], dict[str, Any]] = {}
    for engine in engines:
        played = [s for s in seen if s.engine == engine]
        for cell in cells(s.verdict for s in played):
            key = cell.scenario, cell.truth, cell.approach
            here = [s for s in played if _cell_of(s.verdict) == key]
            if not here:
                continue
            row = table.setdefault(key, {"scenario": key[0], "truth": key[1], "approach": key[2]})
            row[engine] = {
                "right": cell.right,
                "of": cell.of,
                "real_time_factor": _median([s.verdict.real_time_factor for s in here]),
                "processor_time": _median([s.processor_time for s in here]),
            }
    return list(table.values())


def _cell_of(verdict: Verdict) -> tuple[str, str, str]:
    return verdict.scenario, "success" if verdict.truth else "failure", verdict.approach


def _median(numbers: list[float]) -> float | None:
    known = [number for number in numbers if isfinite(number)]
    return statistics.median(known) if known else None


def differing(seen: Sequence[Seen], engines: Sequence[str]) -> list[dict[str, Any]]:
    """Return the runs in which the engines' verdicts differ, with what each engine saw."""
    runs: dict[tuple[str, str], dict[str, Verdict]] = {}
    for s in seen:
        runs.setdefault(s.key[:2], {})[s.engine] = s.verdict
    return [
        {"episode": episode, "approach": approach, "truth": told[engines[0]].truth}
        | {engine: {"success": v.success, "why": v.why} for engine, v in told.items()}
        for (episode, approach), told in runs.items()
        if len({v.success for v in told.values()}) > 1
    ]


def pairs(seen: Sequence[Seen]) -> dict[str, int]:
    """Return approach -> number of its episodes."""
    episodes: dict[str, set[str]] = {}
    for s in seen:
        episodes.setdefault(s.verdict.approach, set()).add(s.verdict.episode)
    return {approach: len(names) for approach, names in episodes.items()}


def _print_differing(seen: Sequence[Seen], different: Sequence[dict[str, Any]]) -> None:
    print()
    for approach, count in pairs(seen).items():
        here = [run for run in different if run["approach"] == approach]
        print(f"{approach}: {len(here)} of {count} verdicts differ")
        for run in here:
            name = Path(run["episode"]).name
            told = "; ".join(
                f"{engine}: {run[engine]['success']} ({run[engine]['why']})"
                for engine in run
                if engine not in ("episode", "approach", "truth")
            )
            print(f"  {name} (true: {run['truth']}): {told}")


def _print(table: Sequence[dict[str, Any]], engines: Sequence[str]) -> None:
    heads = "".join(f" `{engine}` right | factor | processor [s] |" for engine in engines)
    print(f"| scenario | truth | approach |{heads}")
    print("|---|---|---|" + "---|---|---|" * len(engines))
    for row in table:
        told = ""
        for engine in engines:
            cell = row[engine]
            count = f"{cell['right']}/{cell['of']}" if cell["of"] else "n/a"
            told += f" {count} | {_figure(cell['real_time_factor'])} | {_figure(cell['processor_time'])} |"
        print(f"| {row['scenario']} | {row['truth']} | {row['approach']} |{told}")


def _figure(number: float | None) -> str:
    return "" if number is None else f"{number:.2f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, play, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--episodes", type=Path, action="append", required=True, help="folder, as of hetwin record"
    )
    parser.add_argument("--first", type=int, default=10, help="of each folder (default: 10)")
    parser.add_argument("--engine", action="append", choices=engine_names(), help="default: all")
    parser.add_argument("--approach", action="append", choices=PLAYED, help="default: all")
    parser.add_argument(
        "--keep", type=Path, default=Path("engines.jsonl"), help="file of what was played"
    )
    parser.add_argument(
        "--limit", type=float, default=3600.0, help="start no run after so many s (default: 3600)"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.first < 1:
        parser.error("--first must be above 0")
    engines: list[str] = given.engine or list(reversed(engine_names()))
    try:
        for engine in engines:
            make_engine(engine).close()
        episodes = in_turn(given.episodes, given.first)
    except (ImportError, HetwinError) as error:
        print(f"error: {error}", file=sys.stderr)
        return BAD_INPUT
    on = machine()
    approaches = given.approach or PLAYED
    runs = [Run(e, a, engine) for e in episodes for a in approaches for engine in engines]
    try:
        seen = only_complete(list(play_all(runs, given.keep, given.limit)), engines)
    except BrokenProcessPool as error:
        print(f"error: the process of a run has died: {error}", file=sys.stderr)
        return 1
    table = rows(seen, engines)
    if given.json:
        told = {"machine": on, "rows": table, "differing": differing(seen, engines)}
        print(json.dumps(told, indent=2))
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    print(f"{on['system']}, Python {on['python']}, {on['date']}\n")
    _print(table, engines)
    _print_differing(seen, differing(seen, engines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
