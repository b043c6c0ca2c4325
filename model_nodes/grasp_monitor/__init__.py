"""Grasp monitor: is something held, and what."""

from model_nodes.grasp_monitor.model import GraspMonitor

__all__ = ["GraspMonitor"]
