"""Robots: how they move, what they are told to do, and what records one that is simulated.

A program plans motions over time; a stand-in for a real robot executes it, and its sensors' readings become a recording
(`hetwin_suite.episode.write_bag`)::

    import mujoco
    import numpy as np
    from hetwin_suite.robot import Program, Reacher
    from hetwin_suite.runs import resource

    arm = mujoco.MjModel.from_xml_path(str(resource("urdf", "tabletop_arm.urdf")))
    joints = [arm.joint(i).name for i in range(6)]
    program = Program(Reacher(arm, joints, "gripper_base", (0.0, 0.0, 0.12)), np.zeros(6))
    with program.doing("wait", {"hand": "gripper"}):
        program.wait(0.5)
    print(program.now, len(program.announcements))

A `Robot` is what a program in the loop with the twin commands ([programs](programs.md)); a `SkillScene` is what a skill
plans with ([plans](plans.md)).
"""

from __future__ import annotations

from hetwin_core.kinematics.base_moves import nearest_turn
from hetwin_core.kinematics.planar import PlanarPose
from hetwin_core.kinematics.trajectories.in_turn import in_turn
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory, TrajectoryPoint
from hetwin_core.kinematics.travel import Lap, TravelFit, TravelModel, adjusted, travel_model
from hetwin_suite._robots.motion import TICK_S, Announcement, Grip, GripperCommand, Program
from hetwin_suite._robots.reaching import DOWN, Reacher
from hetwin_suite._robots.sensing import Driver, Reading, Sensors
from hetwin_suite._robots.service import Service
from hetwin_suite._robots.stand_in import Obeying, StandIn
from model_nodes.main_physics.wheels import DifferentialDrive, differential_drive
from model_nodes.robot_program.beliefs import Percept
from model_nodes.robot_program.messages import CannotReach, Failed
from model_nodes.robot_program.robot import Robot
from model_nodes.robot_program.telling import Task
from model_nodes.skills.arguments import hand_of, numbers
from model_nodes.skills.scene import SkillScene

__all__ = [
    "DOWN",
    "TICK_S",
    "Announcement",
    "CannotReach",
    "DifferentialDrive",
    "Driver",
    "Failed",
    "Grip",
    "GripperCommand",
    "JointTrajectory",
    "Lap",
    "Obeying",
    "Percept",
    "PlanarPose",
    "Program",
    "Reacher",
    "Reading",
    "Robot",
    "Sensors",
    "Service",
    "SkillScene",
    "StandIn",
    "Task",
    "TrajectoryPoint",
    "TravelFit",
    "TravelModel",
    "adjusted",
    "differential_drive",
    "hand_of",
    "in_turn",
    "nearest_turn",
    "numbers",
    "travel_model",
]
