"""A robot on the network that takes commands and answers them, as a model."""

from model_nodes.remote_robot.model import RemoteRobot as RemoteRobot
