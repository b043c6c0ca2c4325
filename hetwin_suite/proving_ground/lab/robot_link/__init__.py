"""The link of a real and a virtual robot, as a model."""

from hetwin_suite.proving_ground.lab.robot_link.model import RobotLink as RobotLink
