"""A grasp that holds, in a Gazebo of one's own: Gazebo's loader of Python systems imports this by `module_name`."""

from hetwin_gazebo_grasp.system import GraspSystem


def get_system() -> GraspSystem:
    """What the loader calls."""
    return GraspSystem()
