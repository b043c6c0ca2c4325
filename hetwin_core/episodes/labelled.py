"""Recorded episodes with their ground truth."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_json
from hetwin_core.ensemble.scenario.recorded import RECORDING, SCENE, is_episode

TRUTH = "truth.json"
"""File in an episode's folder: the ground truth."""
LABEL = "label"
"""Default key of the truth that says whether an episode succeeded."""
_SUCCESS, _FAILURE = ("success", True), ("failure", False)


@dataclass(frozen=True, slots=True)
class LabelledRecording:
    """A folder with a recording, the scene as the robot believed it, and the ground truth."""

    folder: Path
    truth: dict[str, Any]

    def label(self, key: str = LABEL) -> bool:
        """Return the truth under a key as a boolean: success or failure, true or false, non-empty or empty list.

        Raises:
            BadInput: if it has no such label.
        """
        value = self.truth.get(key)
        if isinstance(value, list):
            return bool(value)
        if value in _SUCCESS or value in _FAILURE:
            return value in _SUCCESS
        raise BadInput(
            "the truth of this episode has no such label",
            file=self.folder / TRUTH,
            where=key,
            found=value,
            expected="success or failure, true or false, or a list",
        )


def find_labelled(root: Path) -> list[LabelledRecording]:
    """Return all labelled episodes below a folder, in the order of their paths.

    Raises:
        BadInput: if there are none, or one cannot be read.
    """
    files = sorted(root.rglob(TRUTH)) if root.is_dir() else []
    if not files:
        raise BadInput(
            "there are no labelled episodes here",
            where="--episodes",
            found=str(root),
            expected=f"a folder with episodes of {RECORDING}, {SCENE} and {TRUTH}, as `hetwin record` writes them",
        )
    return [read_labelled(file.parent) for file in files]


def read_labelled(folder: Path) -> LabelledRecording:
    """Read one labelled episode.

    Raises:
        BadInput: if it is incomplete, or its truth cannot be read.
    """
    file = folder / TRUTH
    if not is_episode(file.parent):
        raise BadInput(
            "this episode is incomplete", file=file.parent, expected=f"{RECORDING} and {SCENE}"
        )
    try:
        truth = read_json(file)
    except (OSError, ValueError) as error:
        raise BadInput(f"the truth cannot be read: {error}", file=file, expected="JSON") from None
    if not isinstance(truth, dict):
        raise BadInput(
            "the ground truth is malformed", file=file, found=truth, expected="a JSON object"
        )
    return LabelledRecording(file.parent, truth)


def write_episode(
    folder: Path,
    scenario: str,
    scene: Mapping[str, Any],
    truth: Mapping[str, Any],
    write_recording: Callable[[Path], None],
) -> None:
    """Write an episode; the folder appears only when it is complete.

    Args:
        folder: folder of the episode; must not exist.
        scenario: name of its scenario.
        scene: poses that the robot believes: entity -> {"pose": [x, y, z, qw, qx, qy, qz]}.
        truth: ground truth, which the twin never reads; numbers that are not finite become null.
        write_recording: writes the recording, a rosbag2, to the path that it is called with.
    """
    partial = folder.with_name(f".{folder.name}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    write_recording(partial / RECORDING)
    _dump(partial / SCENE, {"scenario": scenario, "scene": scene})
    _dump(partial / TRUTH, {**truth, "scenario": scenario})
    partial.rename(folder)


def _dump(file: Path, content: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(_to_json_types(content), allow_nan=False) + "\n", encoding="utf-8")


def _to_json_types(value: Any) -> Any:
    """Convert to JSON's types: arrays become lists, numbers that are not finite null."""
    if isinstance(value, Mapping):
        return {str(key): _to_json_types(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_to_json_types(inner) for inner in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def both_labels(episodes: list[LabelledRecording], key: str) -> list[bool]:
    """Return the episodes' labels.

    Raises:
        BadInput: if one has none, or all have the same, so that nothing can be learned.
    """
    labels = [episode.label(key) for episode in episodes]
    if len(set(labels)) < 2:
        raise BadInput(
            "all episodes have the same label, from which nothing can be learned",
            where="--episodes",
            found=f"{key} {'true' if labels[0] else 'false'} in all {len(labels)}",
            expected="episodes of both labels",
        )
    return labels
