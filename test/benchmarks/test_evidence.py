"""What a robot feels, beside the labels of real grasps and assemblies."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plugins import benchmark
from support.robot_files import data

evidence = benchmark("evidence", "hetwin_futures")


@pytest.mark.parametrize("name", list(evidence.SETS))
def test_figures_on_recordings_of_real_robots_are_what_is_asked(name: str) -> None:
    lines = list(evidence.SETS[name](data(f"evidence/{name}")))
    assert lines
    assert [line for line in lines if not line.met] == []


def test_a_folder_without_any_set_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evidence.main(["--data", str(tmp_path)]) == 2
    assert "none of pickapp, icub, hiro, ur3 is there" in capsys.readouterr().err
