"""Measures what it costs a run that it is shown: its real-time factor with a page that reads and without, in turn.

The page is a client that reads all it is sent and draws nothing. Beside that, the time that the thread which steps the
models spends on being shown, for each step.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from in_turn import in_turn
from machine import machine
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_suite.view.live.watched_run import RunReporter, WatchedRun

ROOT = Path(__file__).resolve().parents[1]
SCENARIOS = ("pick_and_place", "truck_unloading")
LEAST_SHARE = 0.95
MOST_US = 10.0
RUN_LIMIT_S = 600.0
ADDRESS = re.compile(r"http://\S+/")

EXAMPLES = """examples:
  python benchmarks/eyes.py
  python benchmarks/eyes.py --scenario pick_and_place --runs 3 --json
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One scenario.

    Attributes:
        scenario: its name.
        alone, shown: median real-time factors without and with a page.
        share: median of shown / alone, pair by pair.
        shares: of all pairs.
        messages: that the page got, in the last run.
        step_us: processor time of the stepping thread for being shown, for each step [us].
    """

    scenario: str
    alone: float
    shown: float
    share: float
    shares: tuple[float, ...]
    messages: int
    step_us: float


def factor(scenario: str, *, shown: bool) -> tuple[float, int]:
    """Return the real-time factor of a run of the command, and how many messages its page got.

    Raises:
        RuntimeError: if the run fails.
    """
    with tempfile.TemporaryDirectory(prefix="hetwin_eyes_") as folder:
        command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", scenario, "--json"]
        command += ["--no-page", "--out", f"{folder}/run"]
        command += ["--show", "--no-browser", "--port", "0"] if shown else []
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        page = Page() if shown else None
        for line in process.stderr:
            found = ADDRESS.search(line)
            if page is not None and found is not None:
                page.begin(found[0])
        out, _ = process.communicate(timeout=RUN_LIMIT_S)
    if process.returncode != 0:
        raise RuntimeError(f"{scenario} ended with {process.returncode}")
    return float(json.loads(out)["real_time_factor"]), 0 if page is None else page.messages


class Page:
    """A client that reads all it is sent."""

    def __init__(self) -> None:
        self.messages = 0

    def begin(self, address: str) -> None:
        """Read in a thread until the run is over."""
        url = address.replace("http:", "ws:") + "live"
        threading.Thread(target=self._read, args=(url,), daemon=True).start()

    def _read(self, url: str) -> None:
        with connect(url, max_size=None) as socket:
            try:
                while socket.recv():
                    self.messages += 1
            except ConnectionClosed:
                return


class Timed(RunReporter):
    """What shows a run, with the processor time that it takes."""

    spent_ns = 0
    steps = 0

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Measure a step."""
        clock = time.thread_time_ns
        first, before = clock(), clock()
        super().stepped(step, scene)
        after = clock()
        self.spent_ns += (after - before) - (
            before - first
        )  # without what looking at the clock takes
        self.steps += 1


def step_us(scenario: str) -> float:
    """Return the mean processor time of the stepping thread for being shown, for each step [us]."""
    live = WatchedRun()
    shown = Timed(live, live.take)
    conductor = session(scenario, listeners=[shown], own_processes=True)
    shown.attach(conductor)
    summary = conductor.run()
    if summary.error is not None:
        raise RuntimeError(f"{scenario} failed: {summary.error}")
    return shown.spent_ns / shown.steps / 1e3


def measure(scenarios: Sequence[str], runs: int, limit_s: float) -> list[Row]:
    """Measure all scenarios, with a page and without in turn."""
    messages: dict[str, int] = {}

    def one(case: tuple[str, bool]) -> float:
        name, shown = case
        found, got = factor(name, shown=shown)
        if shown:
            messages[name] = got
        return found

    cases = [(name, shown) for name in scenarios for shown in (False, True)]
    found, _ = in_turn(cases, runs, limit_s, one, lambda c, f: f"{c[0]}{', shown' * c[1]}: {f:.2f}")
    rows = []
    for name in scenarios:
        alone, shown = found[name, False], found[name, True]
        shares = tuple(b / a for a, b in zip(alone, shown, strict=False))
        medians = statistics.median(alone), statistics.median(shown)
        rows.append(
            Row(name, *medians, statistics.median(shares), shares, messages[name], step_us(name))
        )
    return rows


def holds(row: Row) -> bool:
    """Whether being shown costs no more than it may."""
    return row.share >= LEAST_SHARE and row.step_us <= MOST_US


def _print(rows: Sequence[Row], on: dict[str, Any]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before\n")
    print("| scenario | alone | shown | share | range | messages | stepping thread [us/step] |")
    print("|---|---|---|---|---|---|---|")
    for row in rows:
        spread = f"{min(row.shares):.2f} to {max(row.shares):.2f}"
        print(
            f"| {row.scenario} | {row.alone:.2f} | {row.shown:.2f} | {row.share:.3f} | {spread}"
            f" | {row.messages} | {row.step_us:.2f} |"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if being shown costs more than it may."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenario", action="append", help="may be given several times")
    parser.add_argument("--runs", type=int, default=3, help="of each case; default: 3")
    parser.add_argument("--limit", type=float, default=600.0, help="begin no run after [s]")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    asked = parser.parse_args(arguments)
    on = machine()
    rows = measure(asked.scenario or SCENARIOS, asked.runs, asked.limit)
    if asked.json:
        print(json.dumps({"machine": on, "rows": [asdict(row) for row in rows]}, indent=2))
    else:
        _print(rows, on)
    return 0 if all(holds(row) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
