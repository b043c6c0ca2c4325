"""What the twin does not know of a stand-in."""

from __future__ import annotations

import numpy as np
import pytest
from support.robot_files import TABLETOP_ARM

from hetwin_commanding.obeying.mismatch import as_it_is, believed, drawn
from hetwin_commanding.obeying.response import Response
from hetwin_core.ensemble.scenario.robot import DriveMode
from model_nodes.main_physics.sources.part import JointMotion
from model_nodes.main_physics.wheels import DifferentialDrive
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf


def test_robots_of_two_seeds_differ_and_one_is_the_same_again() -> None:
    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


def test_its_controllers_pull_with_a_limited_effort_against_friction() -> None:
    described = World("w", (read_urdf(TABLETOP_ARM, Notes()),))
    mismatch = drawn(3)
    world = as_it_is(described, mismatch, lambda name: name.startswith("shoulder"))
    joints = {joint.name: joint for joint in world.bodies[0].moving_joints}
    pan, finger = joints["shoulder_pan_joint"], joints["gripper_left_finger_joint"]
    assert pan.drive.mode is DriveMode.LIMITED
    assert pan.drive.effort == 120.0
    assert pan.drive.stiffness == pytest.approx(mismatch.stiffness * 2400.0)
    assert finger.drive.mode is DriveMode.FOLLOW  # nothing commands it
    before = {joint.name: joint for joint in described.bodies[0].moving_joints}
    assert pan.friction > before["shoulder_pan_joint"].friction
    frictions = [g.friction for link in world.bodies[0].links for g in link.geometries]
    assert None not in frictions


def test_its_odometry_believes_in_other_wheels() -> None:
    wheels = DifferentialDrive(("l",), ("r",), 0.1, 0.4, 0.0, np.ones(2))
    wrong = believed(wheels, drawn(3))
    assert 0.0 < abs(wrong.radius - 0.1) <= 0.001
    assert 0.0 < abs(wrong.separation - 0.4) <= 0.008


def test_its_joints_arrive_a_little_later_and_without_overshooting() -> None:
    response, at = Response(50.0, 0.8, 0.0025, np.zeros(1)), []
    for i in range(1, 801):
        time = min(i * 0.0025, 1.0)
        speed = np.array([1.0 if time < 1.0 else 0.0])
        command = JointMotion(np.array([time]), speed, np.zeros(1), np.zeros(1))
        at.append(float(response.to(command).positions[0]))
    assert 0.004 < 0.5 - at[199] < 0.008  # 2 (1 - 0.8) / 50 s, less one step
    assert max(at) < 1.01
    assert abs(at[-1] - 1.0) < 1e-6
