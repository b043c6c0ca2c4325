"""Grasp monitor: whether a hand holds an object, and which one."""

from model_nodes.grasp_monitor.model import GraspMonitor

__all__ = ["GraspMonitor"]
