"""Recorded episodes and their labels."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.episode_folder import RECORDING, SCENE

TRUTH = "truth.json"
WORLD = "world.sdf"
ROBOT = "robot.urdf"
"""Beside the recording, if the twin's world or robot is not that of the scenario."""


@dataclass(frozen=True, slots=True)
class LabelledEpisode:
    """One recorded episode.

    Attributes:
        folder: with its files.
        scenario: name of the scenario that replays it.
        scene: the believed scene: entity -> {pose}.
        success: the true outcome.
        cause: of a failure; empty for a success.
        margin: signed distance from the boundary between success and failure [m], if known.
        held: whether the robot really held the object at any time.
        blocked: whether the recorded finger joints stayed blocked until the release.
        grasp: `cage` or `pinch` for drops, else the scenario's name.
        key: seed and number of the episode, if known.
        world: SDFormat file that takes the place of the scenario's world.
        robot: URDF file that takes the place of the scenario's robot.
    """

    folder: Path
    scenario: str
    scene: dict[str, Any]
    success: bool
    cause: str
    margin: float | None
    held: bool
    blocked: bool
    grasp: str = "cage"
    key: tuple[int, ...] = ()
    world: Path | None = None
    robot: Path | None = None

    @property
    def recording(self) -> Path:
        """The rosbag2 to replay."""
        return self.folder / RECORDING

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


def find_episodes(root: Path) -> list[LabelledEpisode]:
    """Find all episodes below a folder, in the order of their paths.

    Raises:
        BadInput: if there are none, or one cannot be read.
    """
    if not root.is_dir():
        raise BadInput(
            "there is no such folder", file=root, expected="a folder of recorded episodes"
        )
    folders = sorted(path.parent for path in root.rglob(TRUTH))
    if not folders:
        raise BadInput(
            "there are no episodes here",
            file=root,
            expected=f"folders with {RECORDING}, {SCENE} and {TRUTH}, as `hetwin record` writes them",
        )
    return [read_episode(folder) for folder in folders]


def read_episode(folder: Path) -> LabelledEpisode:
    """Read one episode.

    Raises:
        BadInput: if it cannot be read.
    """
    scene, truth = _json(folder / SCENE), _json(folder / TRUTH)
    if not (folder / RECORDING).exists():
        raise BadInput("the episode has no recording", file=folder, expected=RECORDING)
    label = truth.get("label")
    if label not in ("success", "failure"):
        expected = "success or failure"
        raise BadInput(
            "no label", file=folder / TRUTH, where="label", found=label, expected=expected
        )
    margin = truth.get("margin")
    return LabelledEpisode(
        folder=folder,
        scenario=str(scene.get("scenario", "")),
        scene=dict(scene.get("scene", {})),
        success=label == "success",
        cause=str(truth.get("cause") or ""),
        margin=None if margin is None else float(margin),
        held=bool(truth.get("held", True)),
        blocked=bool(truth.get("blocked_until_release", True)),
        grasp=str(truth.get("grasp") or _usual_grasp(scene)),
        key=_key(truth),
        world=_if_there(folder / WORLD),
        robot=_if_there(folder / ROBOT),
    )


def _usual_grasp(scene: dict[str, Any]) -> str:
    name = str(scene.get("scenario", ""))
    return "cage" if name == "uncertain_environment" else name


def _key(truth: dict[str, Any]) -> tuple[int, ...]:
    numbers = [truth.get(name) for name in ("seed", "index")]
    return tuple(n for n in numbers if isinstance(n, int)) if None not in numbers else ()


def _if_there(file: Path) -> Path | None:
    return file if file.is_file() else None


def _json(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise BadInput(f"the file cannot be read: {error}", file=path, expected="JSON") from None
    if not isinstance(data, dict):
        raise BadInput("this is not a JSON object", file=path, found=type(data).__name__)
    return data
