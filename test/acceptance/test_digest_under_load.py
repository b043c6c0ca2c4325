"""Whatever else the machine does, a run comes out the same in both transports."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.cli_runs import hetwin

BURNERS = 2
BURN = "import time\nend = time.monotonic() + 150\nwhile time.monotonic() < end: pass"
"""Keeps one core busy, but never for ever."""


@pytest.fixture
def load() -> Iterator[None]:
    burners = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(BURNERS)]
    yield
    for burner in burners:
        burner.kill()
        burner.wait()


@pytest.mark.long
def test_pick_and_place_with_all_cores_busy(load: None, tmp_path: Path) -> None:
    def run(transport: str) -> Any:
        options = ["--engine", "mujoco", "--transport", transport]
        options += ["--json", "--no-page", "--duration", 4.5]
        return hetwin("run", "pick_and_place", *options, "--out", tmp_path / transport).json

    local, ros = run("local"), run("ros")
    assert local["digest"] == ros["digest"]
    assert local["handovers"] == ros["handovers"] != []
    assert local["deterministic"]
    assert ros["deterministic"]
