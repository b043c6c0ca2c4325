"""The page's axis of one's own is an axis, found by its entry point, and does what it says."""

from __future__ import annotations

import importlib
import re
import tomllib
from pathlib import Path

import pytest
from support.robot_files import ROOT
from toy_episode import facts, states

from hetwin_bauer2022.mismatch.axis import RecordingAxis
from hetwin_bauer2022.mismatch.registry import read_mismatches

PAGE = (ROOT / "docs" / "experiment.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_an_axis_of_ones_own_is_found_and_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = tomllib.loads(block("toml"))["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in e.items())
        for group, e in groups.items()
    ]
    info = tmp_path / "my_axes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-axes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(lines))
    (tmp_path / "my_axes.py").write_text(block("python"), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    (chosen,) = read_mismatches(["finger_gain=1.1"])
    assert isinstance(chosen.axis, RecordingAxis)
    arm, hand = states("wrist"), states("finger_1", "finger_2")
    same, scaled = chosen.axis.change([arm, hand], chosen.level, facts())
    assert same.positions.tolist() == arm.positions.tolist()
    assert scaled.positions[2] == pytest.approx([-0.4 + 1.1 * 2.4, 0.4 + 1.1 * 1.7])
