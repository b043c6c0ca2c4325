"""Pictures of scenes in which objects have the colour of their fidelity."""

from __future__ import annotations

from pathlib import Path

import fidelity_scenes as scenes
import numpy as np
import pytest
from PIL import Image
from support.made_episode import END_S, STATES, made_episode, poses

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import FIDELITY, POSE, Fidelity, Shape, ShapeKind
from hetwin_core.episodes.episode import Episode
from hetwin_stills.drawing import missing_packages
from hetwin_suite.view.palette import rgb

pytestmark = pytest.mark.skipif(bool(missing_packages()), reason=missing_packages())
BOX = Shape(ShapeKind.BOX, (0.5, 0.5, 0.5), rgba=(0.1, 0.1, 0.1, 1.0))
VIEW = (90.0, -40.0)


def falling_in_fidelity() -> Episode:
    """A box that is high in the first half of the run and low in the second, behind a wall."""
    entities = [
        Entity("box", EntityKind.OBJECT, shapes=(BOX,)),
        Entity("wall", EntityKind.STATIC, shapes=(Shape(ShapeKind.BOX, (2.0, 0.02, 2.0)),)),
    ]
    levels = np.where(np.arange(STATES) < STATES // 2, Fidelity.HIGH, Fidelity.LOW)
    values = {
        ("box", POSE): poses((0.0, 0.0, 0.0)),
        ("box", FIDELITY): levels.astype(float)[:, None],
        ("wall", POSE): poses((0.0, -1.0, 0.0)),
    }
    return made_episode(entities, values)


@pytest.mark.parametrize(("share", "level"), [(0.2, Fidelity.HIGH), (0.8, Fidelity.LOW)])
def test_an_object_has_the_colour_of_its_fidelity_and_is_seen_through_walls(
    share: float, level: Fidelity
) -> None:
    pixels = scenes.drawn(falling_in_fidelity(), round(share * END_S * 1e9), VIEW)
    height, width, _ = pixels.shape
    middle = pixels[height // 2 - 20 : height // 2, width // 2 - 20 : width // 2 + 20]
    seen = middle.reshape(-1, 3).mean(axis=0) / 255
    assert np.argsort(seen).tolist() == np.argsort(rgb(scenes.COLOURS[level])).tolist()


def test_pictures_stand_side_by_side(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / "two.png"
    scenes.write_picture(file, ["one", "two"], [np.zeros((50, 76, 3), np.uint8)] * 2)
    with Image.open(file) as image:
        assert image.width > image.height
