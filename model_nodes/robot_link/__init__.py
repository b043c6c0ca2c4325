"""The link of a real and a virtual robot, as a model."""

from model_nodes.robot_link.model import RobotLink as RobotLink
