"""An installation of hetwin that `ros2 launch` finds, made of this repository without colcon."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = {"conductor": "conductor_node.main", "model": "model_nodes.ros_node"}


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
        text = template.replace("@COMMAND_MODULE@", module)
        text = text.replace("python3", sys.executable)
        file = commands / name
        file.write_text(text, "utf-8")
        file.chmod(0o755)
    return prefix
