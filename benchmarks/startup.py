"""Measures the startup time of an ensemble of six processes: one conductor and five models.

It is ready when each node is up, and another node on the machine has discovered the topics of all models' nodes and
the conductor's services and action. Topics and services that are not discovered within the limit are reported as lost.
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
from pathlib import Path
from typing import Any

import coupling
from machine import machine

MODELS = 5
RUNS = 5
LIMIT_S = 90.0
MODEL_TOPICS = ("call", "output")
CONDUCTOR_SERVICES = (
    *("hetwin/register_model", "hetwin/notify_event", "hetwin/annotate_action"),
    *("hetwin/stop_simulation", "hetwin/simulate/_action/send_goal"),
)
EXAMPLES = """examples:
  python benchmarks/startup.py
  python benchmarks/startup.py --models 15 --runs 3 --json
"""


def expected(models: Sequence[str]) -> set[str]:
    """Return the names of all topics and services."""
    of_models = {f"/{model}/{name}" for model in models for name in MODEL_TOPICS}
    return of_models | {f"/{name}" for name in CONDUCTOR_SERVICES}


def start(models: int, domain: int) -> tuple[float, set[str]]:
    """Start all processes; returns the time until all names were discovered [s], and the missing ones.

    Raises:
        RuntimeError: if a process ends.
    """
    # rclpy is imported here, since it reads the domain only once.
    os.environ["ROS_DOMAIN_ID"] = str(domain)
    paths = [str(coupling.HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)  # the nodes look for the models there
    import rclpy
    from rclpy.node import Node

    from conductor_node.processes import CONDUCTOR_NODE, MODEL_NODE, start_node
    from hetwin_suite.running.ros_nodes import OTHER_PARTICIPANTS, restrict_discovery

    restrict_discovery(models + OTHER_PARTICIPANTS)
    names = ["source", *(f"follower_{i}" for i in range(1, models))]
    processes: list[subprocess.Popen[bytes]] = []
    rclpy.init(args=[])
    watcher = Node("startup_watcher")
    try:
        with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
            scenario = Path(folder) / "trivial.yaml"
            scenario.write_text(coupling.scenario_of(models), encoding="utf-8")
            begun = time.monotonic()
            processes.append(
                start_node(CONDUCTOR_NODE, "conductor", "", {"scenario": str(scenario)})
            )
            for number, name in enumerate(names):
                kind = "Follower" if number else "Source"
                parameters = {"type": f"coupling_peers.hetwin_models:{kind}"}
                processes.append(start_node(MODEL_NODE, name, "", parameters))
            missing = expected(names)
            while missing and time.monotonic() - begun < LIMIT_S:
                time.sleep(0.01)
                there = watcher.get_service_names_and_types() + watcher.get_topic_names_and_types()
                missing = expected(names) - {name for name, _ in there}
                if any(process.poll() is not None for process in processes):
                    raise RuntimeError("a process has ended; its output is above")
            return time.monotonic() - begun, missing
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
        watcher.destroy_node()
        rclpy.try_shutdown()


def one(models: int, domain: int) -> dict[str, Any]:
    """Measure one start, in a separate process."""
    command = [sys.executable, __file__, "--models", str(models), "--one", str(domain)]
    told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(told.stdout.splitlines()[-1])
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if one was lost."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", type=int, default=MODELS, help="default: 5")
    parser.add_argument("--runs", type=int, default=RUNS, help="default: 5")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    given = parser.parse_args(arguments)
    if given.one is not None:
        seconds, missing = start(given.models, given.one)
        print(json.dumps({"seconds": seconds, "lost": sorted(missing)}))
        return 0
    on = machine()
    found = [one(given.models, 20 + (os.getpid() + run) % 80) for run in range(given.runs)]
    times = [run["seconds"] for run in found]
    lost = sorted({name for run in found for name in run["lost"]})
    outcome = {
        "processes": given.models + 1,
        "names": len(expected(["source", *map(str, range(1, given.models))])),
        "median_s": statistics.median(times),
        "runs_s": times,
        "lost": lost,
    }
    if given.json:
        print(json.dumps({"machine": on, **outcome}, indent=2))
    else:
        print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
        print(
            f"{outcome['processes']} processes with {outcome['names']} topics and services ready after"
            f" {outcome['median_s']:.2f} s (median; {min(times):.2f} to {max(times):.2f} s)"
        )
        print(f"lost: {', '.join(lost) or 'none'}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
