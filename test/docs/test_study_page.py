"""The page on studies: its Python runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from support.plugins import needs
from support.robot_files import ROOT

import hetwin_suite.study
from hetwin_core.ensemble.scenario.scenario import find_scenario

pytestmark = needs("hetwin_futures")
PAGE = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
FIRST, SECOND = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.long
def test_the_first_example_runs(capfd: pytest.CaptureFixture[str]) -> None:
    found: dict[str, Any] = {"__name__": "example"}
    exec(FIRST, found)
    lines = capfd.readouterr().out.splitlines()
    assert sorted(line.split()[0] for line in lines[:2]) == ["0", "1"]
    assert lines[2].startswith("Share(yes=")
    assert lines[3].startswith("Probability(p=1.0")
    assert [line.split()[1] for line in lines[4:]] == ["None", "None"]
    drawn = {run.index: run.inputs for run in found["batch"].runs}
    assert drawn[0] == found["study"].draw(0).inputs


def test_a_watch_sees_what_its_runs_show(tmp_path: Path) -> None:
    pytest.importorskip("hetwin_bauer2022")
    from support.short_drops import write_short_drop

    folders = [tmp_path / name for name in ("one", "two")]
    for index, folder in enumerate(folders):
        write_short_drop(folder, index, True)
    found: dict[str, Any] = {"__name__": "example"}
    exec(SECOND, found)
    heights = found["heights"](find_scenario("uncertain_environment"), folders)
    assert len(heights) == 2
    assert all(0.5 < height < 3.0 for height in heights)


def test_every_name_of_the_module_is_documented_where_it_is_defined() -> None:
    for name in hetwin_suite.study.__all__:
        assert getattr(hetwin_suite.study, name).__doc__, name
