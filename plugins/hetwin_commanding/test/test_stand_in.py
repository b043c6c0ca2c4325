"""`hetwin robot obey`, where a model moves the robot: what stands in for the real one in the scenario obeys."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hetwin_command import hetwin, refused

MODULE = """
from contextlib import contextmanager
from hetwin_suite.model import Model, Parameters

class Settings(Parameters):
    pass

class Pilot(Model[Settings]):
    summary = "Moves the robot."

    def initialize(self, settings, scene):
        scene.needs()

    def step(self, tick):
        return tick.changes()

class Running:
    notes = ("it is small",)
    topics = ("/left/said",)

    def __init__(self, *given):
        self.given = given

    def run(self, say, over):
        assert not over()
        say(f"obeyed {self.given}")

class Double(Pilot):
    @classmethod
    @contextmanager
    def obeying(cls, scenario, controller, namespace, seed):
        yield Running(scenario.file.scenario, controller, namespace, seed)

class Without(Pilot):
    @classmethod
    def obeying(cls, scenario, controller, namespace, seed):
        raise ImportError("No module named 'rclpy'")
"""


def scenario(folder: Path, models: str) -> Path:
    (folder / "doubles.py").write_text(MODULE)
    file = folder / "small.yaml"
    file.write_text(
        "extends: lab_robot\nscenario: small\nsource: {model: pilot}\n"
        f"models: {{pilot: {{type: 'doubles:Pilot'}}{models}}}\n"
    )
    return file


def test_it_gets_what_moves_it_its_namespace_and_its_seed(tmp_path: Path) -> None:
    file = scenario(tmp_path, ", real: {type: 'doubles:Double'}")
    said = hetwin("robot", "obey", file, "--namespace", "left", "--seed", "3")
    assert said.out == "a robot obeys; it publishes /left/said\n"
    assert said.err.splitlines() == [
        "warning: it is small",
        "obeyed ('small', 'pilot', 'left', 3)",
    ]
    assert said.code == 0


def test_without_one_the_command_says_what_is_missing(tmp_path: Path) -> None:
    refused(
        tmp_path,
        *("robot", "obey", scenario(tmp_path, "")),
        says=("small.yaml: models", "none stands in", "found 'physics, pilot", "`obeying`"),
    )


@pytest.mark.parametrize("option", ["--place", "--fault"])
def test_options_that_it_does_not_have_are_refused(tmp_path: Path, option: str) -> None:
    file = scenario(tmp_path, ", real: {type: 'doubles:Double'}")
    refused(
        tmp_path, "robot", "obey", file, option, "1,2,3", says=(f"{option}: ", "no such option")
    )


def test_without_ros_the_command_says_so(tmp_path: Path) -> None:
    file = scenario(tmp_path, ", real: {type: 'doubles:Without'}")
    refused(tmp_path, "robot", "obey", file, says=("ROS 2 cannot be imported", "rclpy"))
