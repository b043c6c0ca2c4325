"""Grasp monitor: is something held, and what."""

from hetwin_suite.model_nodes.grasp_monitor.model import GraspMonitor

__all__ = ["GraspMonitor"]
