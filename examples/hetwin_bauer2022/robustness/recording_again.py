"""Records an episode again, with a mismatch of reality."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hetwin_bauer2022.episodes import RECORDERS
from hetwin_bauer2022.evaluation.episodes import LabelledEpisode, read_episode
from hetwin_bauer2022.kind import FlawChoice, GraspChoice, Kind, RealityChoice
from hetwin_bauer2022.mismatch import Mismatch
from hetwin_bauer2022.recipe import Recipe
from hetwin_suite.episode import DISTRIBUTION, TRUTH
from hetwin_suite.runs import BadInput, resource


def record_again(episode: LabelledEpisode, mismatch: Mismatch, folder: Path) -> LabelledEpisode:
    """Record the episode of the same seed, number and options with a mismatch; its label and cause may differ.

    Args:
        episode: episode recorded by `hetwin record`.
        mismatch: mismatch of reality.
        folder: folder of the new episode; an existing one is reused.

    Raises:
        BadInput: if it is unknown how the episode was recorded.
        RunFailed: if it cannot be recorded with this mismatch.
    """
    if not (folder / TRUTH).exists():
        kind, recipe = _recipe(episode, mismatch)
        folder.parent.mkdir(parents=True, exist_ok=True)
        RECORDERS[kind](folder, recipe, recipe.generator(), resource("worlds").parent)
    return read_episode(folder)


def _recipe(episode: LabelledEpisode, mismatch: Mismatch) -> tuple[Kind, Recipe]:
    file = episode.folder.parent / DISTRIBUTION
    options, truth = _object(file), _object(episode.folder / TRUTH)
    try:
        return Kind(options["kind"]), Recipe(
            int(truth["seed"]),
            int(truth["index"]),
            GraspChoice(options.get("grasp", GraspChoice.CAGE)),
            FlawChoice(options.get("flaw", FlawChoice.ANY)),
            (mismatch,),
            RealityChoice(options.get("reality", RealityChoice.MUJOCO)),
            boundary=bool(options.get("boundary")),
        )
    except (KeyError, ValueError) as error:
        raise BadInput(
            f"{mismatch.axis.name} acts during recording, but the options of this recording are unknown ({error})",
            file=file,
            expected=f"kind, grasp and flaw here, seed and index in {episode.folder / TRUTH}, as hetwin record writes",
        ) from None


def _object(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        return {}
    return data if isinstance(data, dict) else {}
