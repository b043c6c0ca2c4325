"""Runs a command of a tree of hetwin that prints JSON, in a process of its own."""

from __future__ import annotations

import json
import os
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from in_turn import Absent

BAD_INPUT = 2


def run_command(
    command: Sequence[str], tree: Path, what: str, limit_s: float
) -> tuple[dict[str, Any], float]:
    """Return the JSON that a command printed, and the processor time of its processes [s].

    Args:
        command: with its arguments.
        tree: the folder to run it in.
        what: names it, for an error.
        limit_s: how long it may take.

    Raises:
        Absent: if it lacks input.
        RuntimeError: if it fails.
        subprocess.TimeoutExpired: if it takes longer.
    """
    used = _of_children()
    ended = subprocess.run(
        command,
        cwd=tree,
        env={**os.environ, "ROS_DOMAIN_ID": str(20 + os.getpid() % 80)},
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    used = _of_children() - used
    said = (ended.stderr.strip().splitlines() or ["no word"])[-1]
    if ended.returncode == BAD_INPUT:
        raise Absent(said)
    if ended.returncode != 0:
        raise RuntimeError(f"{what}: ended with code {ended.returncode}: {said}")
    found: dict[str, Any] = json.loads(ended.stdout)
    return found, used


def _of_children() -> float:
    """Return the processor time of all processes that this one has started and that have ended [s]."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
