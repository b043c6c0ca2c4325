"""Puts the same questions to hetwin and to other systems: how long each takes, and whether the answer is right.

What is right is read off the log state by state. All systems get what they need before they are asked; reading in is a
row of its own. A system that has no way to ask a question has null.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from in_turn import Absent
from machine import machine
from made_hour import make_hour
from projection_peers.duckdb_raw import DuckDbRaw
from projection_peers.ours import Hetwin, HetwinSql
from projection_peers.questions import QUESTIONS, right
from projection_peers.raw import Names, Raw, read, truths
from projection_peers.rerun_peer import Rerun
from projection_peers.rtamt_peer import Rtamt
from projection_peers.segmind_peer import Segmind

READ_IN = "read in"
ROUNDS = 5
SHIPPED = Names("cup1", "gripper_left_finger", "cupboard", "tray", "cup2", 11.0, 0.7)
MADE = Names("box", "gripper_left_finger", "table", "tray", "", 7.0, 0.3)


Cost: TypeAlias = tuple[float, float]
"""Processor time and wall time [ms]."""
NOTHING: Cost = (0.0, 0.0)
READS_LOGS = ("hetwin", "hetwin ask --sql")


class System(Protocol):
    """Something that can be asked."""

    def ask(self, question: str) -> Any:
        """Return the answer, or None if there is no way to ask."""


@dataclass(frozen=True, slots=True)
class Row:
    """The median time of an answer.

    Attributes:
        system: e.g. ``hetwin``.
        question: one of `QUESTIONS`, or that the episode is read in.
        episode: which one.
        ms: processor time of all threads, which other work disturbs least; None if there is no way to ask.
        wall_ms: wall time.
        right: whether the answer is the right one; None likewise.
    """

    system: str
    question: str
    episode: str
    ms: float | None
    wall_ms: float | None
    right: bool | None


def measured(
    system: str, made: Callable[[], System], raw: Raw, before: Cost, rounds: int
) -> Iterator[Row]:
    """Iterate over the rows of one system.

    Args:
        system: its name.
        made: makes it.
        raw: the log.
        before: what reading the log cost that it is made from; nothing if it reads the log itself.
        rounds: how often each question is asked.
    """
    right_answers, name = truths(raw), raw.run.name
    asked, cost = _timed(made)
    ms, wall_ms = (round(sum(parts), 3) for parts in zip(before, cost, strict=True))
    yield Row(system, READ_IN, name, ms, wall_ms, right=True)
    for question, words in QUESTIONS.items():
        answers = [_timed(partial(asked.ask, question)) for _ in range(rounds)]
        answer = answers[-1][0]
        if answer is None:
            yield Row(system, words, name, None, None, None)
            continue
        ms, wall_ms = (
            round(statistics.median(costs), 3)
            for costs in zip(*(c for _, c in answers), strict=True)
        )
        yield Row(
            system, words, name, ms, wall_ms, right(question, answer, right_answers[question])
        )


def _timed(work: Callable[[], Any]) -> tuple[Any, Cost]:
    """Return what some work returns, and its processor time and wall time [ms]."""
    begun = time.process_time(), time.perf_counter()
    found = work()
    ended = time.process_time(), time.perf_counter()
    return found, ((ended[0] - begun[0]) * 1e3, (ended[1] - begun[1]) * 1e3)


def systems(raw: Raw, folder: Path, segmind: Path | None) -> dict[str, Callable[[], System]]:
    """Return how each system is made."""
    return {
        "hetwin": lambda: Hetwin(raw),
        "hetwin ask --sql": lambda: HetwinSql(raw, folder / "tables"),
        "DuckDB on raw tables": lambda: DuckDbRaw(raw),
        "Rerun": lambda: Rerun(raw, folder / "episode.rrd"),
        "rtamt": lambda: Rtamt(raw),
        "segmind": lambda: Segmind(raw, segmind),
    }


def run_of(scenario: str, folder: Path) -> Path:
    """Run a shipped scenario; returns the run's folder."""
    out = folder / scenario
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", scenario]
    subprocess.run(
        [*command, "--no-page", "--out", str(out)], check=True, stdout=subprocess.DEVNULL
    )
    return out


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is asked")
    parser.add_argument("--run", type=Path, help="a run of setting_the_table; default: one is made")
    parser.add_argument("--seconds", type=float, default=0.0, help="of a long episode, made up")
    parser.add_argument("--segmind", type=Path, help="folder with the sources of segmind")
    parser.add_argument("--system", action="append", help="only these; may be given several times")
    chosen = parser.parse_args(arguments)
    rows: list[Row] = []
    skipped: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="hetwin_projection_") as text:
        folder = Path(text)
        for run, names in _episodes(chosen, folder):
            raw, cost = _timed(partial(read, run, names))
            for system, made in systems(raw, folder / f"of_{run.name}", chosen.segmind).items():
                if chosen.system and system not in chosen.system:
                    continue
                print(f"{run.name}: {system}", file=sys.stderr, flush=True)
                try:
                    before = NOTHING if system in READS_LOGS else cost
                    rows += measured(system, made, raw, before, chosen.rounds)
                except Absent as absent:
                    skipped[system] = str(absent)
    _show(rows, skipped, as_json=chosen.json)
    return 0 if rows else 1


def _episodes(chosen: argparse.Namespace, folder: Path) -> Iterator[tuple[Path, Names]]:
    yield chosen.run or run_of("setting_the_table", folder), SHIPPED
    if chosen.seconds:
        made = make_hour(run_of("pick_and_place", folder), folder / "made", chosen.seconds)
        yield made, MADE


def _show(rows: Sequence[Row], skipped: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        left_out = [{"system": name, "reason": reason} for name, reason in skipped.items()]
        found = {"rows": [asdict(row) for row in rows], "skipped": left_out}
        print(json.dumps({**found, "machine": machine()}))
        return
    for row in rows:
        ms = "-" if row.ms is None else f"{row.ms:.2f} ms ({row.wall_ms:.0f})"
        verdict = {True: "right", False: "WRONG", None: "cannot ask"}[row.right]
        print(f"{row.episode:20} {row.system:22} {ms:>20}  {verdict:10}  {row.question}")
    for name, reason in skipped.items():
        print(f"skipped: {name}: {reason}")


if __name__ == "__main__":
    sys.exit(main())
