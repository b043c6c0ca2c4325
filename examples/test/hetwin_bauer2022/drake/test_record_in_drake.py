"""Drops that are recorded in Drake: the same files, the same beliefs and noise, another engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hetwin_bauer2022.episodes import record_episodes
from hetwin_bauer2022.kind import FlawChoice, GraspChoice, Kind, RealityChoice
from hetwin_core.ensemble.errors import BadInput

DRAKE = {"reality": RealityChoice.DRAKE}


def test_without_the_extra_the_error_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hetwin_bauer2022.episodes.find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"--reality.*drake.*pip install 'hetwin-suite\[drake\]'"):
        record_episodes(Kind.DROP, 1, 1, tmp_path / "out", **DRAKE)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def pinches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same pinch in both realities."""
    pytest.importorskip("pydrake", reason="the extra drake is not installed")
    folder = tmp_path_factory.mktemp("pinches")
    for reality in RealityChoice:
        record_episodes(
            *(Kind.DROP, 1, 14102, folder / reality),
            grasp=GraspChoice.PINCH,
            flaw=FlawChoice.NONE,
            reality=reality,
        )
    return {reality.value: folder / reality / "drop_0001" for reality in RealityChoice}


def of(folder: Path, file: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / file).read_text(encoding="utf-8"))
    return content


@pytest.mark.slow
def test_the_ball_is_pinched_carried_and_dropped_where_the_stand_in_drops_it(
    pinches: dict[str, Path],
) -> None:
    stand_in, drake = (of(folder, "truth.json") for folder in pinches.values())
    assert (drake["reality"], drake["grasp"]) == ("drake", "pinch")
    assert "reality" not in stand_in
    assert drake["label"] == stand_in["label"]
    assert drake["released"] == pytest.approx(stand_in["released"], abs=0.05)
    paths = [np.array(truth["path"])[:, 1:4] for truth in (stand_in, drake)]
    until = round(100 * stand_in["released"]) - 5
    apart = np.linalg.norm(paths[0][:until] - paths[1][:until], axis=1)
    assert paths[1][:until, 2].max() - paths[1][0, 2] > 0.1
    assert apart.max() < 0.004
    assert apart.max() > 0.0


@pytest.mark.slow
def test_beliefs_and_messages_are_those_of_the_stand_in(pinches: dict[str, Path]) -> None:
    stand_in, drake = pinches.values()
    assert of(drake, "scene.json") == of(stand_in, "scene.json")
    assert of(drake.parent, "distribution.json")["reality"] == "drake"
    from model_nodes.main_physics.sources.recording import Recording

    found, usual = (Recording.open(folder / "recording") for folder in (drake, stand_in))
    assert set(found.topics) == set(usual.topics)
    assert found.joints().keys() == usual.joints().keys()
    for name, topic in usual.topics.items():
        assert abs(found.topics[name].count - topic.count) <= 1
