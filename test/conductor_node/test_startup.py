"""Six processes that start together find all topics and services of each other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.ros_domains import new_domain

ROOT = Path(__file__).resolve().parents[2]


def test_nothing_is_lost() -> None:
    command = [sys.executable, "benchmarks/startup.py", "--one", str(new_domain())]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout.splitlines()[-1])["lost"] == []
