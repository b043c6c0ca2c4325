"""Launches the cafe's ensemble: hetwin's launch file with this package's scenario; other arguments are passed on.

ros2 launch hetwin_cafe cafe.launch.py duration:=3.0
"""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    """Include hetwin's launch file."""
    launch_file = Path(get_package_share_directory("hetwin"), "launch", "scenario.launch.py")
    return LaunchDescription(
        [
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(str(launch_file)),
                launch_arguments={"scenario": "cafe"}.items(),
            )
        ]
    )
