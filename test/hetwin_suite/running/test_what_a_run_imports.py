"""A run imports nothing that it does not need: each of these takes longer than a step of the ensemble."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.gazebo_servers import GAZEBO_IS_HERE

HEAVY = (
    *("PIL", "jinja2", "rclpy", "rich", "rosbags.highlevel", "rosbags.rosbag1"),
    *("rosbags.typesys.stores.ros2_dashing", "rosbags.typesys.stores.ros2_kilted"),
    *("hetwin_core.episodes.episode", "hetwin_suite.view.report"),
)
AFTER = (
    *("ruckig", "urllib.request", "xacro"),
    *("hetwin_core.episodes.asking", "hetwin_core.episodes.tables", "hetwin_suite._study"),
    *("model_nodes.main_physics.sources.planned", "hetwin_commanding"),
)
"""What nothing needs before the first step."""
RUN = """
import sys
from pathlib import Path
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_suite.running.local import run_locally
from hetwin_suite.running.progress import Progress
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_suite.running.request import RunRequest
import hetwin_suite.cli.outcome, hetwin_suite.running.watched

class Begun(RunListener):
    def started(self, start):
        print(*sys.modules)

with Progress("pick_and_place"):
    options = RunOptions(duration=0.0025)
    request = RunRequest("pick_and_place", options, Path(sys.argv[1]))
    with request.loaded() as (scenario, out):
        assert not run_locally(request, scenario, out, Begun()).code
print(*sys.modules)
"""


def test_nothing_heavy(tmp_path: Path) -> None:
    script = [sys.executable, "-c", RUN, str(tmp_path / "run")]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120, check=True)
    before, modules = ({*line.split()} for line in done.stdout.splitlines())
    assert modules.isdisjoint(HEAVY)
    assert before.isdisjoint(AFTER)
    if not GAZEBO_IS_HERE:
        assert "hetwin_gazebo.engine" not in modules


def test_metadata_of_packages_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from hetwin_core.ensemble import installed as module
    from hetwin_core.ensemble.catalogue import model_class, model_types

    reads = []
    read = module.distributions
    monkeypatch.setattr(module, "distributions", lambda: reads.append(1) or read())
    module._by_group.cache_clear()
    for name in model_types():
        model_class(name)
    assert len(reads) == 1
