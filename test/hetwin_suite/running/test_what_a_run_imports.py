"""A run imports nothing that it does not need: each of these takes longer than a step of the ensemble."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from model_nodes.main_physics.engines.gz.bindings import installed

HEAVY = (
    *("PIL", "jinja2", "rclpy", "rich", "rosbags.highlevel", "rosbags.rosbag1"),
    *("rosbags.typesys.stores.ros2_dashing", "rosbags.typesys.stores.ros2_kilted"),
    *("hetwin_core.episodes.episode", "hetwin_suite.view.report"),
)
RUN = """
import sys
from pathlib import Path
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Progress
from hetwin_suite.running.request import RunRequest
import hetwin_suite.cli.outcome, hetwin_suite.running.watched

with Progress("pick_and_place"):
    request = RunRequest("pick_and_place", RunOptions(duration=0.0025), Path(sys.argv[1]))
    with request.loaded() as (scenario, out):
        assert not run_locally(request, scenario, out).code
print(*sys.modules)
"""


def test_nothing_heavy(tmp_path: Path) -> None:
    script = [sys.executable, "-c", RUN, str(tmp_path / "run")]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120, check=True)
    modules = {*done.stdout.split()}
    assert modules.isdisjoint(HEAVY)
    if installed() is None:
        assert "model_nodes.main_physics.engines.gz.engine" not in modules


def test_metadata_of_packages_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from hetwin_core.ensemble import installed as module
    from hetwin_core.ensemble.catalogue import model_class, model_types

    reads = []
    read = module.distributions
    monkeypatch.setattr(module, "distributions", lambda: reads.append(1) or read())
    module._all.cache_clear()
    for name in model_types():
        model_class(name)
    assert len(reads) == 1
