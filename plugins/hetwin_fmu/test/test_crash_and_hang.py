"""A unit runs its author's program in the process of the ensemble: where that crashes or hangs, the run names it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from motor_unit import WRONG, motor
from support.hetwin_command import hetwin


def scenario(folder: Path, wrong: str, **entry: object) -> Path:
    """A scenario whose motor goes wrong at 0.2 s."""
    parameters = {
        "file": str(motor()),
        "concepts": ["motor"],
        "inputs": {"voltage": 3},
        "outputs": {"motor.speed": "speed"},
        "start": {"wrong": WRONG[wrong], "wrong_at": 0.2},
    }
    unit = {"type": "fmu", "rate": 100, "deadline": 2, "parameters": parameters, **entry}
    physics = {"type": "main_physics", "main": True, "engine": "mujoco"}
    text = {"scenario": "wrong", "world": "worlds/tabletop.sdf", "rate": 400}
    path = folder / "wrong.yaml"
    path.write_text(
        yaml.safe_dump({**text, "models": {"physics": physics, "motor": unit}}), "utf-8"
    )
    return path


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("crash", "motor: step failed at 0.200000 s: its process was killed by SIGSEGV"),
        pytest.param(
            "hang",
            "motor: step failed at 0.200000 s: no answer within its deadline of 2 s",
            marks=pytest.mark.faults,
        ),
    ],
)
def test_the_run_ends_and_names_it(wrong: str, words: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    ended = hetwin("run", scenario(tmp_path, wrong), "--duration", 1, "--no-page", "--out", out)
    assert ended.code == 1
    assert words in ended.err
    assert (out / "summary.json").is_file()


@pytest.mark.faults
def test_over_ros_the_run_goes_on_without_it(tmp_path: Path) -> None:
    path = scenario(tmp_path, "crash", on_failure="hand_back")
    arguments = ("--duration", 0.5, "--no-page", "--transport", "ros", "--out", tmp_path / "run")
    ended = hetwin("run", path, *arguments)
    assert ended.code == 1
    assert "its process was killed by SIGSEGV; handed back" in ended.err
    assert "0.50 s simulated" in ended.out + ended.err
