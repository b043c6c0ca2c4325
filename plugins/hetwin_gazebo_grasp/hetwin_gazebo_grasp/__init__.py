"""A Gazebo system that keeps grasped objects in a hand; Gazebo's Python loader imports it by `module_name`."""

from hetwin_gazebo_grasp.system import GraspSystem


def get_system() -> GraspSystem:
    """Return a new system; Gazebo's loader calls this once for each plugin element."""
    return GraspSystem()
