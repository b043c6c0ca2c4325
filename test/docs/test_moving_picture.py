"""The moving picture of the README is made by its script."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hetwin_suite
from hetwin_stills.drawing import NoGraphics
from hetwin_suite.episode import open_episode

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "make_moving_picture.py"
spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
assert spec is not None
assert spec.loader is not None
make_moving_picture = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_moving_picture)


@pytest.mark.long
def test_it_shows_the_run_and_who_is_responsible(tmp_path: Path) -> None:
    hetwin_suite.run("pick_and_place", out=tmp_path / "run")
    file = tmp_path / "moving.webp"
    try:
        frames = make_moving_picture.write(open_episode(tmp_path / "run"), file, fps=0.5)
    except NoGraphics as reason:
        pytest.skip(str(reason))
    with Image.open(file) as drawn:
        assert drawn.n_frames == frames == 5
        bars = []
        for index in range(frames):
            drawn.seek(index)
            left = drawn.size[0] // 2
            right_of_bar = drawn.convert("RGB").crop(
                (left, make_moving_picture.SIZE[1], *drawn.size)
            )
            bars.append(np.asarray(right_of_bar, np.float64))
    assert np.abs(bars[1] - bars[0]).max() < 64.0  # physics, before the grasp; WebP is lossy
    assert np.abs(bars[2] - bars[0]).max() > 100.0  # the grasp model
