"""Observer of what no healthy robot, no honest recording and no object left alone does."""

from model_nodes.robot_health.model import RobotHealth as RobotHealth
