"""A robot on the network that takes commands and answers them, as a model."""

from hetwin_suite.proving_ground.lab.remote_robot.model import RemoteRobot as RemoteRobot
