"""Where the processor time of a run in one process goes: samples of the running function, by the part it is in.

A timer of processor time interrupts the run every few milliseconds; a sample belongs to the innermost function that is
in one of the parts below. Also measures the processor time from the first step to the last.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import FrameType

from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.request import RunRequest

PERIOD_S = 0.002
PARTS = (
    ("distances", ("/engines/proximity", "proximity.py", "/distances", "/surface_distance")),
    ("in-hand localization", ("/in_hand_localization/",)),
    ("engine's step", ("/main_physics/",)),
    ("robot_health", ("/robot_health/",)),
    ("other models", ("/model_nodes/",)),
    ("conditions", ("/ensemble/triggers/", "/ensemble/expressions/")),
    ("log", ("/episodes/",)),
    ("conductor", ("/hetwin_core/",)),
)
"""Name of a part, and what the path of its files contains; the first that fits counts."""


class Sampler(RunListener):
    """Samples the run that it listens to."""

    def __init__(self) -> None:
        self.samples: Counter[str] = Counter()
        self.processor_time = 0.0
        self.summary: RunSummary | None = None

    def started(self, start: RunStart) -> None:
        """Start the timer."""
        signal.signal(signal.SIGPROF, self._sample)
        self.processor_time = -time.process_time()
        signal.setitimer(signal.ITIMER_PROF, PERIOD_S, PERIOD_S)

    def ended(self, summary: RunSummary) -> None:
        """Stop the timer."""
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        self.processor_time += time.process_time()
        self.summary = summary

    def shares(self) -> dict[str, float]:
        """The share of each part that was seen, the greatest first."""
        total = max(1, self.samples.total())
        return {part: round(n / total, 4) for part, n in self.samples.most_common()}

    def _sample(self, _: int, frame: FrameType | None) -> None:
        while frame is not None:
            part = _part(frame.f_code.co_filename)
            if part:
                self.samples[part] += 1
                return
            frame = frame.f_back
        self.samples["other"] += 1


def _part(file: str) -> str:
    if "site-packages" in file and "hetwin" not in file and "model_nodes" not in file:
        return ""
    return next((part for part, marks in PARTS if any(mark in file for mark in marks)), "")


def main() -> int:
    """Run a scenario once; prints ``{cpu_s, simulated_s, shares}``."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("scenario")
    parser.add_argument("--source", help="the recording to replay")
    parser.add_argument("--scene", type=json.loads, default={}, help="where objects are, as JSON")
    given = parser.parse_args()
    sampler = Sampler()
    scenario = load_scenario(find_scenario(given.scenario))
    with tempfile.TemporaryDirectory(prefix="hetwin_shares_") as folder:
        options = RunOptions(source=given.source, scene=given.scene)
        out = Path(folder) / "run"
        run_locally(RunRequest(given.scenario, options, out), scenario, out, sampler)
    summary = sampler.summary
    if summary is None or summary.ended == "failed":
        print(f"error: the run failed: {summary and summary.error}", file=sys.stderr)
        return 1
    found = {"cpu_s": sampler.processor_time, "simulated_s": summary.simulated_time}
    print(json.dumps({**found, "digest": summary.digest, "shares": sampler.shares()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
