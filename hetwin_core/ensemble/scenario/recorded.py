"""Recordings as sources: their initial poses and clocks, and episodes with the scene as the robot believed it to be."""

from enum import StrEnum
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.scenario_modules import distrust


class JointSource(StrEnum):
    """Origin of the joints' motion in a recording."""

    JOINT_STATES = "joint_states"
    """Messages of type sensor_msgs/msg/JointState."""
    TF = "tf"
    """Transforms between the links' frames, from which the robot's kinematics gives the joints' positions."""


class Stamps(StrEnum):
    """The clock that dates a recording's messages."""

    HEADER = "header"
    """The stamps of joint states, which then date all messages; simulated time if a simulation published them."""
    LOG = "log"
    """The time at which the recorder received the message."""


class PositionUnit(StrEnum):
    """Non-SI units of positions that a robot published."""

    DEGREES = "degrees"
    """Positions of revolute joints."""
    MILLIMETRES = "millimetres"
    """Positions of prismatic joints."""


RECORDING = "recording"
"""Folder in an episode's folder: the robot's messages, a rosbag2."""
SCENE = "scene.json"
"""File in an episode's folder: the scenario's name, and the poses that the robot believed."""


def is_episode(path: Path) -> bool:
    """Whether a path is a folder as written by `hetwin record`."""
    return (path / RECORDING).is_dir() and (path / SCENE).is_file()


def recording_of(path: str) -> str:
    """The recording that a source names: the one in an episode's folder, or the path itself."""
    return str(Path(path) / RECORDING) if is_episode(Path(path)) else path


def scenario_of(path: Path) -> str:
    """The name of an episode's scenario; if it is a path, no module in its folder is imported.

    Raises:
        BadInput: if the episode names no scenario.
    """
    try:
        name = str(read_json(path / SCENE)["scenario"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            "the episode does not name its scenario",
            file=path / SCENE,
            where="scenario",
            expected="the name of a scenario, as hetwin record writes it",
        ) from None
    if Path(name).is_file():
        distrust(Path(name), path)
    return name


def believed_scene(path: str) -> dict[str, Any]:
    """The scene of an episode, entity -> {pose}; empty if the path is not an episode's folder.

    Raises:
        BadInput: if its file cannot be read.
    """
    if not is_episode(Path(path)):
        return {}
    file = Path(path) / SCENE
    expected = '{"scene": {"box": {"pose": [x, y, z, qw, qx, qy, qz]}}}'
    try:
        data = read_json(file)
    except (OSError, ValueError) as error:
        raise BadInput(f"the scene cannot be read: {error}", file=file, expected=expected) from None
    scene = data.get("scene") if isinstance(data, dict) else None
    if not isinstance(scene, dict):
        raise BadInput("this is not a scene", file=file, found=scene, expected=expected)
    return scene
