"""A blade that comes to the middle of an apple cuts it: the parts take its place, with all of its mass."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.household import box, happened, home, lived

from hetwin_core.ensemble.errors import BadInput

APPLE = box("apple", "0.1 0 0.03", mass=0.2)
HALVES = [
    box("half_1", "3 0 0.03", "0.03 0.06 0.06", mass=0.1, offset="-0.015 0 0"),
    box("half_2", "3 1 0.03", "0.03 0.06 0.06", mass=0.1, offset="0.015 0 0"),
]
KEYS = "entities: {apple: {attributes: {sliceable: {parts: [half_1, half_2], blade: tip}}}}\n"
KNIFE = "0.002 0.1 0.1"


def cutting(depth: float) -> list[tuple[float, float, float]]:
    return [(0.2, 0.1, 0.85), (0.7, 0.1, depth), (1.2, 0.1, 0.85), (1.4, 0.1, 0.85)]


def test_it_is_cut_and_nothing_is_lost(tmp_path: Path) -> None:
    outcome = lived(home(tmp_path, [APPLE, *HALVES], KEYS, cutting(0.94), tip=KNIFE))
    assert outcome.summary.error is None, outcome.summary.error
    assert ("sliced", "apple") in happened(outcome)
    assert outcome.summary.state["sliced(apple)"] is True
    scene = outcome.record.scenes[-1]
    masses = {e.name: e.mass for e in scene.layout.entities}
    assert masses["half_1"] + masses["half_2"] == pytest.approx(masses["apple"])
    for half in ("half_1", "half_2"):
        assert np.linalg.norm(scene.pose(half)[:3] - [0.1, 0.0, 0.03]) < 0.03
        assert scene.owner(half, "pose") == "physics"
    assert scene.owner("apple", "pose") == "slicing"
    assert np.linalg.norm(scene.pose("apple")[:3] - [3.0, 0.0, 0.03]) < 0.01
    assert max(s.pose("half_1")[2] for s in outcome.record.scenes) < 0.1, "nothing is shot out"


def test_a_blade_that_leaves_before_cuts_nothing(tmp_path: Path) -> None:
    outcome = lived(home(tmp_path, [APPLE, *HALVES], KEYS, cutting(0.895), tip=KNIFE))
    assert outcome.summary.error is None, outcome.summary.error
    assert happened(outcome) == []
    scene = outcome.record.scenes[-1]
    assert scene.owner("apple", "pose") == scene.owner("apple", "collision") == "physics"
    assert any(s.owner("apple", "pose") == "slicing" for s in outcome.record.scenes)
    assert np.linalg.norm(scene.pose("apple")[:3] - [0.1, 0.0, 0.03]) < 0.002


def test_parts_that_weigh_other_than_the_whole(tmp_path: Path) -> None:
    heavy = box("half_1", "3 0 0.03", mass=0.15)
    with pytest.raises(BadInput, match=r"0\.25 kg'; expected 0\.2 kg together"):
        lived(home(tmp_path, [APPLE, heavy, HALVES[1]], KEYS))


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("half_2]", "half_3]", ".parts"),
        ("half_1, half_2]", "half_1, half_1]", ""),
        ("blade: tip", "blade: knife", ".blade"),
    ],
)
def test_what_is_not_there(tmp_path: Path, old: str, new: str, where: str) -> None:
    file = home(tmp_path, [APPLE, *HALVES], KEYS.replace(old, new))
    with pytest.raises(BadInput) as caught:
        lived(file)
    assert f"entities.apple.attributes.sliceable{where}" in str(caught.value)
