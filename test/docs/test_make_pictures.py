"""What draws the README's moving picture can be run again."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from support.cli_runs import ROOT
from support.twin_runs import twin_run

from hetwin_suite.view.stills.graphics import missing


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_the_picture_is_drawn_from_a_run(tmp_path: Path) -> None:
    file = ROOT / "docs" / "make_pictures.py"
    spec = importlib.util.spec_from_file_location("make_pictures", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    frames = module.draw(twin_run("pick_and_place", tmp_path / "run", duration=0.5))
    assert len(frames) == 3
    assert frames[0].size == frames[-1].size
    module.write(frames, tmp_path / "picture.gif")
    assert (tmp_path / "picture.gif").stat().st_size > 10_000
