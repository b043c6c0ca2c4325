"""An installation of hetwin that `ros2 launch` finds, made of this repository without colcon."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARTING = "hetwin_core.ensemble.supervision.starting"
COMMANDS = {
    "conductor": "conductor_node.main",
    "model": "model_nodes.ros_node.main",
    "page": "hetwin_suite.view.ros.page",
}
NEEDED = ("launch", "launch_ros", "ros2launch", "ros2cli")


def why_no_launch() -> str:
    """Why there is no `ros2 launch` here; empty if there is."""
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    # The repository's folder has the name of the first; the real package has a file.
    if not absent and importlib.util.find_spec("launch").origin is None:  # type: ignore[union-attr]
        absent = ["launch"]
    if absent:
        return f"not installed: {', '.join(absent)}"
    return "" if shutil.which("ros2") else "ros2 is not on the path"


def ament_prefix(folder: Path) -> Path:
    """Make the installation; AMENT_PREFIX_PATH must name the folder that is returned.

    Its executables are those that colcon installs, made from the same template.
    """
    prefix = folder / "prefix"
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "hetwin").touch()
    launch = prefix / "share" / "hetwin" / "launch"  # a folder: launch does not look into links
    launch.mkdir(parents=True)
    for file in (ROOT / "launch").iterdir():
        (launch / file.name).symlink_to(file)
    commands = prefix / "lib" / "hetwin"
    commands.mkdir(parents=True)
    template = (ROOT / "cmake" / "command.in").read_text("utf-8")
    for name, module in COMMANDS.items():
        text = template.replace("@COMMAND@", f"{STARTING} {module}").replace(
            "python3", sys.executable
        )
        file = commands / name
        file.write_text(text, "utf-8")
        file.chmod(0o755)
    return prefix
