"""Follows a live hand with a force sensor of 1 kHz on one core: lag, processor time, and the verdict beside a replay.

    python benchmarks/live_wrench.py [--rate 1000] [--core 0] [--json]

The slow hand of `hands.py` lifts a block; `hetwin robot play` publishes the recording as a robot would, and the twin
follows it over ROS 2 topics with the model `evidence`, all on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hands import HANDS, STEP_S, Lift, judged, write
from live_lag import HETWIN, RUN_LIMIT_S
from machine import machine

from hetwin_suite.model import JUDGED

LIVE = json.dumps({"live": "", "timeout": 2.5, "on_silence": "end"})


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(215 + os.getpid() % 17),  # tests use those up to 101
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


def followed(folder: Path, core: int, environment: dict[str, str]) -> tuple[dict[str, Any], float]:
    """Follow the recording as it is played; returns the run's outcome, and the twin's processor time [s]."""
    play = [*HETWIN, "robot", "play", "recording", "--wait-for-twin"]
    run = [*HETWIN, "run", "hands.yaml", "--source", LIVE, "--transport", "ros"]
    run += ["--in-process", "all", "--json", "--no-page", "--out", "run"]
    where: dict[str, Any] = {"cwd": folder, "env": environment}
    robot = subprocess.Popen(play, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **where)
    try:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run(
            ["taskset", "-c", str(core), *run],
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT_S,
            **where,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    finally:
        robot.terminate()
        robot.wait(10.0)
    if ended.returncode not in (0, 1) or not ended.stdout:
        raise RuntimeError((ended.stderr.strip().splitlines() or ["no word"])[-1])
    outcome: dict[str, Any] = json.loads(ended.stdout)
    return outcome, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(rate: float, core: int) -> dict[str, Any]:
    """Return the figures of one live run."""
    kind = HANDS["slow"]
    with tempfile.TemporaryDirectory(prefix="hetwin_wrench_") as name:
        folder, lift = Path(name), Lift(kind, block=True)
        every = max(1, round(1.0 / rate / STEP_S))
        write(folder / "recording", lift, wrench=True, seed=4, period_steps=every)
        replayed = judged(folder / "recording", kind)
        outcome, spent = followed(folder, core, _environment())
    held = [
        one["arguments"]["probability"]
        for one in outcome["events"]
        if one["name"] == JUDGED and one["arguments"]["claim"] == "held"
    ]
    left_out = [n for name, n in outcome["counters"].items() if name.startswith("steps left out")]
    return {
        "wrenches_per_s": 1.0 / (every * STEP_S),
        "lasts_s": lift.end,
        "twin_processor_s": round(spent, 2),
        "processor_s_per_s": round(spent / lift.end, 3),
        **outcome["live"],
        "steps_left_out": sum(left_out),
        "held_live": held[-1] if held else None,
        "held_replayed": replayed["probability"],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; 1 if the run cannot be made."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rate", type=float, default=1000.0, help="of wrenches [Hz], up to 1000")
    parser.add_argument("--core", type=int, default=0, help="on which the twin runs")
    parser.add_argument("--json", action="store_true", help="print JSON on one line")
    given = parser.parse_args(arguments)
    if not 0.0 < given.rate <= 1.0 / STEP_S:
        parser.error(f"--rate: found {given.rate:g}, expected at most {1.0 / STEP_S:g}")
    on = machine()
    try:
        figures = measure(given.rate, given.core)
    except (RuntimeError, subprocess.SubprocessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps({"machine": on, **figures}, indent=None if given.json else 1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
