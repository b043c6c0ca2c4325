"""Recordings as sources: where their robot was, and episodes with the scene as the robot believed it to be."""

from enum import StrEnum
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.own_modules import distrust


class JointsFrom(StrEnum):
    """Where a recording has the joints' motion."""

    JOINT_STATES = "joint_states"
    """In messages of type sensor_msgs/msg/JointState."""
    TF = "tf"
    """In transforms between the links' frames, read with the robot's kinematics."""


class Stamps(StrEnum):
    """The clock that dates a recording's messages."""

    HEADER = "header"
    """The stamps of joint states, which date all messages: simulated time, where a simulation published them."""
    LOG = "log"
    """When the recorder received it."""


class Units(StrEnum):
    """Units in which a robot published positions that are not SI units."""

    DEGREES = "degrees"
    """Of joints that turn."""
    MILLIMETRES = "millimetres"
    """Of joints that slide."""


RECORDING = "recording"
"""In an episode's folder: the robot's messages, a rosbag2."""
SCENE = "scene.json"
"""In an episode's folder: of which scenario it is, and where the robot believed things to be."""


def is_episode(path: Path) -> bool:
    """Whether a path is a folder as `hetwin record` writes them."""
    return (path / RECORDING).is_dir() and (path / SCENE).is_file()


def recording_of(path: str) -> str:
    """The recording that a source names: the one in an episode's folder, or the path itself."""
    return str(Path(path) / RECORDING) if is_episode(Path(path)) else path


def scenario_of(path: Path) -> str:
    """The name of the scenario that an episode is of; beside one that it names by its path nothing is imported.

    Raises:
        BadInput: if it does not name one.
    """
    try:
        name = str(read_json(path / SCENE)["scenario"])
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            "the episode does not say of which scenario it is",
            file=path / SCENE,
            where="scenario",
            expected="the name of a scenario, as hetwin record writes it",
        ) from None
    if Path(name).is_file():
        distrust(Path(name), path)
    return name


def believed_scene(path: str) -> dict[str, Any]:
    """The scene of an episode, entity -> {pose}; empty if the path is no episode's folder.

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
