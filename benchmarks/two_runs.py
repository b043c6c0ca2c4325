"""Counts how runs over ROS 2 end that start at nearly the same time on one machine, in one ROS domain.

In one namespace exactly one of them must run to its digest, and each other one must end with code 2 and say what to do
before it starts anything. In namespaces of their own all must run to their digests. All of a group start in one folder,
so that the folders of runs are chosen at the same time too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from machine import machine

SCENARIOS = ("pick_and_place", "insertion", "uncertain_environment")
DURATION = ("--duration", "0.5")
REFUSAL = ("another run, r", "has the namespace", "Nothing was started", "--namespace NAME")
LIMIT_S = 240.0
EXAMPLES = """examples:
  python benchmarks/two_runs.py --groups 100
  python benchmarks/two_runs.py --groups 100 --namespaces
  python benchmarks/two_runs.py --groups 20 --runs 3
  python benchmarks/two_runs.py --groups 20 --busy 6
  python benchmarks/two_runs.py --groups 10 --launch
"""


def words(scenario: str, namespace: str) -> list[str]:
    """The command of one run over ROS 2."""
    return [*hetwin("run", scenario), "--transport", "ros", "--namespace", namespace, "--no-page"]


def hetwin(*arguments: str) -> list[str]:
    """The command `hetwin`."""
    return [sys.executable, "-m", "hetwin_suite.cli.command", *arguments, *DURATION]


def launch(scenario: str, namespace: str) -> list[str]:
    """The command of one run by `ros2 launch`, which must be installed."""
    given = [f"scenario:={scenario}", f"duration:={DURATION[1]}"]
    if namespace:
        given.append(f"namespace:={namespace}")
    return ["ros2", "launch", "hetwin", "scenario.launch.py", *given]


def digests() -> dict[str, str]:
    """Digest of each scenario, run alone in one process."""
    found = {}
    for scenario in SCENARIOS:
        with tempfile.TemporaryDirectory() as folder:
            command = [*hetwin("run", scenario), "--no-page", "--json"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
            found[scenario] = json.loads(done.stdout)["digest"]
    return found


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """So many processes that do nothing but compute, meanwhile."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def together(commands: Sequence[list[str]], pauses: Sequence[float], folder: Path) -> list[Ended]:
    """Start commands one after the other, and wait until all have ended.

    Args:
        commands: of the runs.
        pauses: after the start of each [s].
        folder: that all of them work in.
    """
    processes = []
    for command, pause in zip(commands, pauses, strict=True):
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        processes.append(process)
        time.sleep(pause)
    return [(process.communicate(timeout=LIMIT_S)[0], process.returncode) for process in processes]


Ended = tuple[str, int]


def outcome(ended: Ended, digest: str) -> str:
    """How a run ended, in a word."""
    said, code = ended
    if code == 0 and f"digest {digest}" in said:
        return "ran"
    if code and all(part in said for part in REFUSAL) and "process started" not in said:
        return "refused" if code == 2 or "ros2" in said or "launch" in said else f"code {code}"
    return f"else: code {code}: {said[-400:]}"


def group(draw: random.Random, options: argparse.Namespace, known: dict[str, str]) -> list[str]:
    """How the runs of one group ended, and whether each has a folder of its own."""
    same = draw.choice(SCENARIOS)
    names = [same if draw.random() < 0.5 else draw.choice(SCENARIOS) for _ in range(options.runs)]
    pauses = [draw.choice((0.0, draw.uniform(0.0, 0.5))) for _ in names]
    make = launch if options.launch else words
    spaces = [f"twin{n}" if options.namespaces else "" for n in range(len(names))]
    commands = [make(name, space) for name, space in zip(names, spaces, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        ended = together(commands, pauses, Path(folder))
        found = [outcome(one, known[name]) for one, name in zip(ended, names, strict=True)]
        folders = len(list(Path(folder).glob("runs/*")))
    if folders != found.count("ran"):
        found.append(f"else: {folders} folders of {found.count('ran')} runs")
    return sorted(found)


def is_right(found: Sequence[str], options: argparse.Namespace) -> bool:
    """Whether a group ended as it must."""
    wanted = Counter(ran=options.runs) if options.namespaces else Counter(ran=1)
    wanted["refused"] = options.runs - wanted["ran"]
    return Counter(found) == +wanted


def main() -> None:
    """Start groups of runs and print how they ended; with 1 if one ended otherwise."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", type=int, default=10, help="how many groups (10)")
    parser.add_argument("--runs", type=int, default=2, help="runs of a group (2)")
    parser.add_argument("--namespaces", action="store_true", help="a namespace for each")
    parser.add_argument("--launch", action="store_true", help="by `ros2 launch`")
    parser.add_argument("--busy", type=int, default=0, help="busy loops beside (0)")
    parser.add_argument("--seed", type=int, default=1, help="of scenarios and pauses (1)")
    parser.add_argument("--domain", type=int, default=101, help="ROS domain (101)")
    parser.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    options = parser.parse_args()
    os.environ["ROS_DOMAIN_ID"] = str(options.domain)
    draw, known, begun = random.Random(options.seed), digests(), time.monotonic()
    counts: Counter[tuple[str, ...]] = Counter()
    with busy(options.busy):
        for number in range(options.groups):
            found = group(draw, options, known)
            counts[tuple(found)] += 1
            if not is_right(found, options):
                print(f"group {number + 1}: {found}", file=sys.stderr, flush=True)
    seconds = time.monotonic() - begun
    rows = [{"outcome": list(found), "groups": count} for found, count in counts.most_common()]
    if options.json:
        print(json.dumps({"outcomes": rows, "seconds": seconds, "machine": machine()}))
    else:
        for ends, count in counts.most_common():
            print(f"{count:5} x {', '.join(ends)}")
        print(f"{options.groups} groups of {options.runs} in {seconds:.0f} s; {machine()}")
    sys.exit(not all(is_right(found, options) for found in counts))


if __name__ == "__main__":
    main()
