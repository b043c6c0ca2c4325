"""`make test-again` counts what fails in any of its runs, prints the seeds, and tries nothing again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

AGAIN = Path(__file__).with_name("again.py")
CASES = """
import pathlib

ran = pathlib.Path(__file__).with_name("ran")


def test_that_passes():
    pass


def test_that_fails_every_second_time():
    count = ran.read_text() if ran.exists() else ""
    ran.write_text(count + "x")
    assert len(count) % 2
"""


def test_each_failure_is_counted_with_its_seed(tmp_path: Path) -> None:
    (tmp_path / "test_made.py").write_text(CASES, encoding="utf-8")
    seed = 10_000_000 + os.getpid() * 10
    command = [sys.executable, str(AGAIN), "3", "--seed", str(seed), "--", str(tmp_path)]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "random_order.plugin"}
    done = subprocess.run(
        command,
        env={**os.environ, **alone},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 1, done.stderr
    assert [line.partition(" in ")[0] for line in lines if line.startswith("seed")] == [
        f"seed {seed}: 1 passed, 1 failed, 0 skipped",
        f"seed {seed + 1}: 2 passed, 0 failed, 0 skipped",
        f"seed {seed + 2}: 1 passed, 1 failed, 0 skipped",
    ]
    assert lines[-2].startswith("2 of 3: ")
    assert "test_that_fails_every_second_time" in lines[-2]
    assert lines[-1].startswith("2 failures in 3 runs")
