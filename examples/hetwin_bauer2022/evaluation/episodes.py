"""Recorded episodes and their labels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_suite.episode import (
    RECORDING,
    LabelledRecording,
    believed_scene,
    find_labelled,
    read_labelled,
    scenario_of,
)

WORLD = "world.sdf"
ROBOT = "robot.urdf"
"""Files beside the recording, if the twin's world or robot differs from the scenario's."""


@dataclass(frozen=True, slots=True)
class LabelledEpisode:
    """One recorded episode.

    Attributes:
        folder: folder of the episode.
        scenario: name of the scenario that replays it.
        scene: believed scene: entity -> {pose}.
        success: true outcome.
        cause: cause of a failure; empty for a success.
        margin: signed distance from the boundary between success and failure [m], if known.
        held: whether the robot really held the object at any time.
        grasp: `cage` or `pinch` for drops; otherwise the name of the scenario.
        key: seed and number of the episode, if known.
        world: SDFormat file that replaces the scenario's world.
        robot: URDF file that replaces the scenario's robot.
    """

    folder: Path
    scenario: str
    scene: dict[str, Any]
    success: bool
    cause: str
    margin: float | None
    held: bool
    grasp: str = "cage"
    key: tuple[int, ...] = ()
    world: Path | None = None
    robot: Path | None = None

    @property
    def recording(self) -> Path:
        """Path of the rosbag2 to replay."""
        return self.folder / RECORDING

    @property
    def name(self) -> str:
        """Name of the folder."""
        return self.folder.name


def find_episodes(root: Path) -> list[LabelledEpisode]:
    """Find all episodes below a folder, in the order of their paths.

    Raises:
        BadInput: if there are none, or one cannot be read.
    """
    return [_labelled(recording) for recording in find_labelled(root)]


def read_episode(folder: Path) -> LabelledEpisode:
    """Read one episode.

    Raises:
        BadInput: if it cannot be read.
    """
    return _labelled(read_labelled(folder))


def _labelled(episode: LabelledRecording) -> LabelledEpisode:
    folder, truth, scenario = episode.folder, episode.truth, scenario_of(episode.folder)
    margin = truth.get("margin")
    return LabelledEpisode(
        folder=folder,
        scenario=scenario,
        scene=believed_scene(str(folder)),
        success=episode.label(),
        cause=str(truth.get("cause") or ""),
        margin=None if margin is None else float(margin),
        held=bool(truth.get("held", True)),
        grasp=str(truth.get("grasp") or _default_grasp(scenario)),
        key=_key(truth),
        world=_if_exists(folder / WORLD),
        robot=_if_exists(folder / ROBOT),
    )


def _default_grasp(scenario: str) -> str:
    return "cage" if scenario == "uncertain_environment" else scenario


def _key(truth: dict[str, Any]) -> tuple[int, ...]:
    numbers = [truth.get(name) for name in ("seed", "index")]
    return tuple(n for n in numbers if isinstance(n, int)) if None not in numbers else ()


def _if_exists(file: Path) -> Path | None:
    return file if file.is_file() else None
