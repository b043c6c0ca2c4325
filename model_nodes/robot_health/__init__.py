"""Observer of faults of robots, recordings and objects."""

from model_nodes.robot_health.model import RobotHealth as RobotHealth
