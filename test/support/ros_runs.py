"""Runs of tiny ensembles as ROS 2 nodes, each on a domain of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from support.hetwin_command import hetwin
from support.ros_domains import new_domain
from support.warm_starts import WarmProcess

TESTS = Path(__file__).resolve().parents[1]
TIMEOUT_S = 240.0
IN_PROCESS = ("--in-process", "all")
ONLY_CUP_APART = ("--in-process", "physics,grasp")
ONLY_PHYSICS_APART = ("--in-process", "grasp,cup")
"""Fewer processes, where a test is about something else."""

TOY = """
scenario: toy
rate: 400
models:
  physics:
    type: support.toys:ToyPhysics
    main: true
    parameters:
      until: {until}
      pace: {pace}
      slow_until: {slow_until}
      actions:
        - {{name: move_hand, at: 0.2, phase: begin, hand: hand}}
        - {{name: move_hand, at: 0.5, phase: end, hand: hand}}
  grasp: {{type: "support.toys:ToyGrasp"}}
  cup: {{type: "support.toys:ToyCup"{cup}}}
triggers:
  - name: grasp_begins
    on: {{action: move_hand}}
    let: {{object: "nearest_object(event.hand, {{'kind': 'graspable'}})"}}
    if: hand_free(event.hand) && object != null
    do: [{{hand_over: {{entity: $object, attribute: pose, to: grasp}}}}]
  - name: grasp_ends
    on: {{action: move_hand, phase: end}}
    do: [{{hand_over: {{entity: ball, attribute: pose, to: physics}}}}]
{more}
"""


def toy(
    folder: Path,
    *,
    until: float = 1.0,
    pace: float = 0.0,
    slow_until: Path | None = None,
    cup: str = "",
    more: str = "",
) -> Path:
    """Write the tiny scenario.

    Args:
        folder: where to.
        until: simulated seconds.
        pace: what a step takes at least [s].
        slow_until: a step takes far longer until this file exists, so that a run is not over before it is seen.
        cup: adds to the cup's entry.
        more: adds to the triggers.
    """
    path = folder / "toy.yaml"
    slow = "null" if slow_until is None else slow_until
    text = TOY.format(until=until, pace=pace, slow_until=slow, cup=cup, more=more)
    path.write_text(text, encoding="utf-8")
    return path


def environment(domain: int) -> dict[str, str]:
    """Environment of a process in that domain, which finds the toys."""
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(domain),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH")))),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed."""
        return json.loads(self.out)


def command(*arguments: object) -> list[str]:
    """The `hetwin` command."""
    return [sys.executable, "-m", "hetwin_suite.cli.command", *map(str, arguments)]


def run(scenario: Path, out: Path, *arguments: object, transport: str = "ros") -> Ended:
    """Run a scenario to its end, by the command in this process; its nodes have processes of their own."""
    with mock.patch.dict(os.environ, environment(new_domain())):
        said = hetwin(*_words(scenario, out, transport, *arguments))
    return Ended(said.code, said.out, said.err)


def _words(scenario: Path, out: Path, transport: str, *arguments: object) -> list[object]:
    options = ("--transport", transport, "--out", out, "--json", "--no-page")
    return ["run", scenario, *options, *arguments]


@contextmanager
def running(
    scenario: Path, out: Path, *arguments: object, transport: str = "ros", domain: int | None = None
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A run that goes on meanwhile, and its domain."""
    domain = new_domain() if domain is None else domain
    process = WarmProcess(
        command(*_words(scenario, out, transport, *arguments)),
        env=environment(domain),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process, domain
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def finish(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end."""
    out, err = process.communicate(timeout=TIMEOUT_S)
    return Ended(process.returncode, out, err)


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
