"""Runs of the `hetwin` command in processes of their own."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import warm_starts
from support.ros_domains import new_domain

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def hetwin(*arguments: object, timeout_s: float = 300.0) -> Ended:
    """Run the command in the repository's folder, on a ROS domain that no other test uses."""
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": str(new_domain()),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    command = [sys.executable, "-m", "hetwin_suite.cli.command", *map(str, arguments)]
    ended = warm_starts.run(command, cwd=ROOT, env=environment, timeout=timeout_s)
    return Ended(ended.returncode, ended.stdout, ended.stderr)
