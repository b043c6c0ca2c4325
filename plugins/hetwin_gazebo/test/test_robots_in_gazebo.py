"""A robot in a running Gazebo is one model, whose joints move with the twin's."""

from __future__ import annotations

import itertools
import math
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support.cli_runs import ROOT
from support.gazebo_servers import gazebo_server, needs_gazebo
from support.scene_of import scene_of
from support.waiting import PATIENCE_S, wait_until

from hetwin_gazebo.bindings import gazebo
from hetwin_gazebo.server.state import EntityTree, WorldState, decode_pose
from hetwin_gazebo.view import GazeboView
from hetwin_gazebo.view.robots import ShownRobot
from hetwin_suite.engine import JointKind, moving_joints
from hetwin_suite.model import POSE, EntityKind, MainTick, Snapshot, relative_to
from model_nodes.main_physics.model import MainPhysics

URDF = ROOT / "urdf/tabletop_arm.urdf"


def test_joints_that_move_are_read_from_the_description() -> None:
    joints = moving_joints(URDF.read_text("utf-8"))
    assert len(joints) == 8
    assert {joint.kind for joint in joints.values()} == {JointKind.HINGE, JointKind.SLIDE}
    assert moving_joints("") == {}


def test_a_robot_is_written_as_one_model(tmp_path: Path) -> None:
    physics = MainPhysics()
    contribution = physics.contribute({"robot": str(URDF), "engine": "mujoco"}, 0)
    physics.stop()
    joints = moving_joints(contribution.robot_description)
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


def scene_at(joint: float) -> Snapshot:
    """The arm with all joints at a position [rad or m]."""
    names = moving_joints(URDF.read_text("utf-8"))
    physics = MainPhysics()
    robot = {"urdf": str(URDF), "joints_at_start": dict.fromkeys(names, joint)}
    told = physics.contribute({"robot": robot, "engine": "mujoco"}, 0)
    physics.stop()
    poses = {a.entity: a.value.data for a in told.attributes if a.attribute.name == POSE.name}
    return scene_of(told.entities, poses)


def links_in_gazebo(node: Any, robot: str) -> dict[str, list[float]]:
    """Position of each link in its model [m]; empty while there is no such robot."""
    message = gazebo().message
    empty, kind = message("empty_pb2", "Empty"), message("serialized_map_pb2", "SerializedStepMap")
    done, told = node.request("/world/shown/state", empty(), empty, kind, 2000)
    if not done:
        return {}
    state = WorldState(told)
    tree = EntityTree(state)
    links = tree.children(tree.models.get(robot, 0), "Link")
    poses = {
        name: decode_pose(state.require(entity, "Pose")).pos() for name, entity in links.items()
    }
    return {name: [at.x(), at.y(), at.z()] for name, at in poses.items()}


@needs_gazebo
def test_it_moves_in_a_running_gazebo_as_in_the_twin(tmp_path: Path) -> None:
    partition = f"hetwin_robot_{os.getpid()}"
    before, after = scene_at(0.0), scene_at(0.02)
    links = [e.name for e in after.layout.entities if e.kind is EntityKind.LINK]
    root = after.pose(links[0])
    expected = {name: relative_to(root, after.pose(name))[:3].tolist() for name in links}
    view, numbers = GazeboView(), itertools.count(1)
    with gazebo_server(tmp_path, partition):
        urdf = URDF.read_text("utf-8")
        view.contribute({"partition": partition, "patience": PATIENCE_S, "urdf": urdf}, 0)
        view.start(before)
        options = gazebo().transport.NodeOptions()
        options.partition = partition
        node = gazebo().transport.Node(options)

        def moved() -> bool:
            view.step(MainTick(next(numbers) * 40_000_000, 40_000_000, after))
            seen = links_in_gazebo(node, "twin tabletop_arm")
            return seen.keys() == expected.keys() and all(
                seen[name] == pytest.approx(place, abs=1e-4) for name, place in expected.items()
            )

        wait_until(moved, "the arm in its new posture")
        view.stop()
