"""The conductor's response to a goal may be lost on the way; the run is followed to its end all the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.ros_domains import new_domain

import hetwin_suite
from hetwin_suite.running import over_ros

TESTS = Path(__file__).resolve().parents[2]

SCENARIO = """
scenario: small
rate: 10
models:
  physics: {{type: "support.toys:ToyPhysics", main: true, parameters: {{{parameters}}}}}
"""


@pytest.fixture(autouse=True)
def every_response_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take each response for lost at once; the result is then requested before the goal has arrived."""
    monkeypatch.setattr(over_ros, "RESPONSE_TIMEOUT_S", -1.0)
    monkeypatch.setenv("ROS_DOMAIN_ID", str(new_domain()))
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))


def written(folder: Path, parameters: str) -> Path:
    path = folder / "small.yaml"
    path.write_text(SCENARIO.format(parameters=parameters), encoding="utf-8")
    return path


def test_a_run_returns_its_summary(tmp_path: Path) -> None:
    scenario = written(tmp_path, "until: 0.5")
    summary = hetwin_suite.run(scenario, transport="ros", in_process="all", out=tmp_path / "run")
    assert summary.ended == "recording"
    assert summary.simulated_time == pytest.approx(0.5)


def test_what_ends_it_before_there_is_a_run_is_raised(tmp_path: Path) -> None:
    scenario = written(tmp_path, "speed: 3")
    with pytest.raises(hetwin_suite.BadInput, match="physics: parameter speed"):
        hetwin_suite.run(scenario, transport="ros", in_process="all", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
