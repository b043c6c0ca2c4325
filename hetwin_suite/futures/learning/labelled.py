"""Recorded episodes with what really happened in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.episode_folder import RECORDING, SCENE, is_episode

TRUTH = "truth.json"
LABEL = "label"
_YES, _NO = ("success", True), ("failure", False)


@dataclass(frozen=True, slots=True)
class Episode:
    """A folder with a recording, the scene as the robot believed it, and the truth."""

    folder: Path
    truth: dict[str, Any]

    def label(self, key: str = LABEL) -> bool:
        """Return what the truth says under a key: success or failure, true or false, something or an empty list.

        Raises:
            BadInput: if it says nothing of the kind.
        """
        value = self.truth.get(key)
        if isinstance(value, list):
            return bool(value)
        if value in _YES or value in _NO:
            return value in _YES
        raise BadInput(
            "the truth of this episode has no such label",
            file=self.folder / TRUTH,
            where=key,
            found=value,
            expected="success or failure, true or false, or a list",
        )


def find_labelled(root: Path) -> list[Episode]:
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


def read_labelled(folder: Path) -> Episode:
    """Read one labelled episode.

    Raises:
        BadInput: if it is not whole, or its truth cannot be read.
    """
    file = folder / TRUTH
    if not is_episode(file.parent):
        raise BadInput(
            "this episode is not whole", file=file.parent, expected=f"{RECORDING} and {SCENE}"
        )
    try:
        truth = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"the truth cannot be read: {error}", file=file, expected="JSON") from None
    if not isinstance(truth, dict):
        raise BadInput("this is no truth", file=file, found=truth, expected="a JSON object")
    return Episode(file.parent, truth)


def both_labels(episodes: list[Episode], key: str) -> list[bool]:
    """Return the episodes' labels.

    Raises:
        BadInput: if one has none, or all have the same, from which nothing can be learned.
    """
    labels = [episode.label(key) for episode in episodes]
    if len(set(labels)) < 2:
        raise BadInput(
            "all episodes have the same label, which tells nothing apart",
            where="--episodes",
            found=f"{key} {'true' if labels[0] else 'false'} in all {len(labels)}",
            expected="episodes of both labels",
        )
    return labels
