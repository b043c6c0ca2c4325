"""A robot in a running Gazebo is one model, whose joints move with the twin's."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support.cli_runs import ROOT
from support.gazebo_servers import gazebo_server, needs_gazebo
from support.scene_of import scene_of
from support.waiting import PATIENCE_S

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.projection.episode import Episode
from hetwin_core.projection.log_writer import RunLog
from model_nodes.gazebo_view.robots import ShownRobot, joints_of
from model_nodes.main_physics.model import MainPhysics
from model_nodes.main_physics.world.description import JointKind

URDF = ROOT / "urdf/tabletop_arm.urdf"
LISTENER = Path(__file__).parents[2] / "support/gazebo_listener.py"
PERIOD = 0.02
SCENARIO = f"""scenario: shown
world: {ROOT / "worlds/tabletop.sdf"}
robot: {URDF}
source: {ROOT / "scenarios/episodes/pick_and_place"}
models:
  physics: {{type: main_physics, main: true, engine: mujoco}}
  view: {{type: gazebo_view, rate: 50, parameters: VIEW}}
responsibilities:
  - {{entity: "*", attribute: pose, model: physics}}
"""


def test_joints_that_move_are_read_from_the_description() -> None:
    joints = joints_of(URDF.read_text("utf-8"))
    assert len(joints) == 8
    assert {joint.kind for joint in joints.values()} == {JointKind.HINGE, JointKind.SLIDE}
    assert joints_of("") == {}


def test_a_robot_is_written_as_one_model(tmp_path: Path) -> None:
    physics = MainPhysics()
    contribution = physics.initialize({"robot": str(URDF), "engine": "mujoco"}, 0)
    physics.stop()
    joints = joints_of(contribution.robot_description)
    (robot,) = ShownRobot.find(contribution.entities, joints)
    assert len(robot.links) == len([e for e in contribution.entities if e.kind is EntityKind.LINK])
    assert ShownRobot.find(contribution.entities, {}) == ()  # each link is a model then
    (tmp_path / "out").mkdir()
    poses = {e.name: np.array((0.0, 0, 0, 1, *[0.0] * 9)) for e in contribution.entities}
    scene = scene_of(contribution.entities, poses)
    model = ET.fromstring(robot.sdf(scene, tmp_path / "out"))[0]
    assert len(model.findall("link")) == len(robot.links)
    kinds = [joint.get("type") for joint in model.findall("joint")]
    assert len(kinds) == len(robot.links)
    assert kinds.count("fixed") == len(robot.links) - 8
    assert not list(model.iter("collision"))
    assert set(robot.positions(scene).values()) == {0.0}
    hinge = next(j for j in joints.values() if j.kind is JointKind.HINGE)
    turned = math.sin(0.25) * np.array(hinge.axis)
    poses[hinge.child][3:7] = (math.cos(0.25), *turned)
    after = robot.positions(scene_of(contribution.entities, poses))
    assert after[hinge.name] == pytest.approx(0.5)


@needs_gazebo
def test_it_moves_in_a_running_gazebo_as_in_the_twin(tmp_path: Path) -> None:
    partition = f"hetwin_robot_{os.getpid()}"
    view = {"partition": partition, "patience": PATIENCE_S}
    file = tmp_path / "scenario.yaml"
    file.write_text(SCENARIO.replace("VIEW", str(view)), "utf-8")
    with (
        gazebo_server(tmp_path, partition),
        subprocess.Popen(
            [sys.executable, LISTENER, partition, "shown"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"},
            text=True,
        ) as listener,
    ):
        assert listener.stdout is not None
        assert listener.stdout.readline() == "listening\n"
        loaded = load_scenario(file)
        log = RunLog(tmp_path / "run", state_rate=100)
        ports = [LocalPort(plan) for plan in loaded.models]
        summary = Conductor(loaded, ports, [log], RunOptions(duration=3.0)).run()
        out, _ = listener.communicate(timeout=PATIENCE_S)
    assert summary.error is None
    told, episode = json.loads(out), Episode.open(tmp_path / "run")
    rows = told["poses"]
    names = told["names"]
    robot = next(e for e in episode.layout.entities if e.kind is EntityKind.ROBOT)
    model = next(i for i, name in names.items() if name == f"twin {robot.name}")
    moving = [e.name for e in episode.layout.entities if e.owner == robot.name and e.joint]
    ids = {name: next(i for i, told in names.items() if told == name) for name in moving}
    compared = 0
    for row in rows:
        seconds = math.ceil(row["time"] / PERIOD - 1e-6) * PERIOD
        if seconds < 1.0 or model not in row["poses"]:
            continue  # the robot is created while the first steps are made
        base = row["poses"][model]
        for name in moving:
            at = row["poses"][ids[name]]
            place = np.array(base[:3]) + rotate(base[3:], at[:3])
            poses = episode.pose(name)
            expected = [np.interp(seconds, episode.seconds, poses[:, i]) for i in range(3)]
            # A paused Gazebo makes its steps some time after it is told to.
            assert place == pytest.approx(expected, abs=1e-2), (name, seconds)
        compared += 1
    assert compared > 5
