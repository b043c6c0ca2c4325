"""Robots: their kinematics, motions and commands.

Inverse kinematics of a chain of links, here of a planar arm with two joints::

    import numpy as np
    from hetwin_suite.robot import Chain, Segment, Solver

    along = (0.4, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    upper = Segment("upper", (0.0, 0.0, 0.0, *along[3:]), "shoulder", lower=-2.0, upper=2.0)
    fore = Segment("fore", along, "elbow", lower=0.1, upper=2.5)
    arm = Chain([upper, fore, Segment("hand", along)])
    there = arm.place(np.array([0.3, 0.9]))
    pose = np.array([*there.position, np.cos(0.6), 0.0, 0.0, np.sin(0.6)])
    print(Solver(arm).solve(pose).positions)

Programs of robots and skills are in the extra `programs` ([programs](programs.md), [plans](plans.md)).
`hetwin_suite.episode.write_bag` writes a recording from `Reading` and `Announcement`
objects.
"""

from __future__ import annotations

from hetwin_core.kinematics.chains.chain import Chain, EndPose
from hetwin_core.kinematics.chains.descents import TOLERANCE, Solution, Solutions
from hetwin_core.kinematics.chains.inverse import PartialIK
from hetwin_core.kinematics.chains.screws import Frame, Screws, Segment, frame_of
from hetwin_core.kinematics.chains.solver import FEWER_STARTS, Solver, sampled_limits
from hetwin_core.kinematics.moves import MoveLimits, move
from hetwin_core.kinematics.planar import PlanarPose, nearest_turn
from hetwin_core.kinematics.trajectories.trajectory import (
    JointTrajectory,
    TrajectoryPoint,
    concatenate,
)
from hetwin_suite._robots.bag import Announcement, Reading
from hetwin_suite._robots.stand_in import CommandedRobot, StandIn
from hetwin_suite.scaffolding.hands import FoundHand, hands_of_file
from model_nodes.main_physics.wheels import DifferentialDrive, differential_drive
from model_nodes.main_physics.world.chains import chain_in, chain_to, segments_to
from model_nodes.main_physics.world.robot_file import RobotFile, find_robot, is_robot, read_robot
from model_nodes.main_physics.world.robot_xml import urdf_of
from model_nodes.main_physics.world.urdf.reader import read_urdf

__all__ = [
    "FEWER_STARTS",
    "TOLERANCE",
    "Announcement",
    "Chain",
    "CommandedRobot",
    "DifferentialDrive",
    "EndPose",
    "FoundHand",
    "Frame",
    "JointTrajectory",
    "MoveLimits",
    "PartialIK",
    "PlanarPose",
    "Reading",
    "RobotFile",
    "Screws",
    "Segment",
    "Solution",
    "Solutions",
    "Solver",
    "StandIn",
    "TrajectoryPoint",
    "chain_in",
    "chain_to",
    "concatenate",
    "differential_drive",
    "find_robot",
    "frame_of",
    "hands_of_file",
    "is_robot",
    "move",
    "nearest_turn",
    "read_robot",
    "read_urdf",
    "sampled_limits",
    "segments_to",
    "urdf_of",
]
