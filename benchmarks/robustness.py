"""Measures where each approach breaks, as `robustness.yaml` says: records the episodes and judges them.

It goes on where it was stopped: recorded sets stay, and verdicts are kept as they are made. At the end all curves are
in `verdicts/curves.json`, which `robustness_figures.py` turns into the tables of the documentation.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

PLAN = Path(__file__).with_name("robustness.yaml")
HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")
EXAMPLES = """examples:
  python benchmarks/robustness.py --out /tmp/robustness
  python benchmarks/robustness.py --out /tmp/tuning --chosen
  python benchmarks/robustness.py --out /tmp/robustness --part 1 --jobs 1
"""


def recordings(plan: Mapping[str, Any], seed: str, out: Path, jobs: int) -> Iterator[list[str]]:
    """Yield the commands that record the sets that are not there yet.

    Args:
        plan: the content of `robustness.yaml`.
        seed: `judged_on` or `chosen_on`.
        out: folder of the sets.
        jobs: number of processes.
    """
    for name, one in plan["sets"].items():
        if not (out / name / "distribution.json").exists():
            count = ["-n", str(one["episodes"]), "--seed", str(one[seed])]
            to = ["--out", str(out / name), "--jobs", str(jobs)]
            yield ["record", *one["record"], *count, *to]


def evaluations(part: Mapping[str, Any], out: Path, more: Sequence[str]) -> Iterator[list[str]]:
    """Yield the commands that judge a part of the plan; one per set.

    Args:
        part: one of the plan's `parts`.
        out: folder of the sets and the verdicts.
        more: options of each command.
    """
    for name, count in part["of_each"].items():
        which = ["--episodes", str(out / name), "-n", str(count)]
        what = ["--axes", ",".join(part["axes"]), "--approaches", ",".join(part["approaches"])]
        yield ["evaluate", "robustness", *which, *what, *more, "--no-page"]


def _run(command: Sequence[str], into: Path = Path(os.devnull)) -> None:
    print("hetwin " + " ".join(command), file=sys.stderr, flush=True)
    with into.open("wb") as file:
        subprocess.run([*HETWIN, *command], check=True, stdout=file)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, record, judge, write the page; 1 if a command fails."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--out", type=Path, required=True, help="folder of episodes and verdicts")
    parser.add_argument("--chosen", action="store_true", help="with the seeds to choose on")
    parser.add_argument(
        "--part", type=int, action="append", help="of the plan, from 1; default: all"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument(
        "--trust-kept", action="store_true", help="keep verdicts though the code has changed since"
    )
    given = parser.parse_args(arguments)
    plan = yaml.safe_load(PLAN.read_text(encoding="utf-8"))
    episodes, verdicts = given.out / "episodes", given.out / "verdicts"
    more = ["--out", str(verdicts), "--jobs", str(given.jobs)]
    more += ["--trust-kept"] if given.trust_kept else []
    parts = given.part or range(1, 1 + len(plan["parts"]))
    try:
        seed = "chosen_on" if given.chosen else "judged_on"
        for command in recordings(plan, seed, episodes, given.jobs):
            _run(command)
        for number in parts:
            for command in evaluations(plan["parts"][number - 1], episodes, more):
                _run(command)
        # The page shows all verdicts that are kept; this asks for hardly another.
        few = ["--axes", "rate=50", "--approaches", "rule", "-n", "1", "--json"]
        last = ["evaluate", "robustness", "--episodes", str(episodes), *few, *more]
        _run(last, verdicts / "curves.json")
    except subprocess.CalledProcessError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
