"""The page about batches: its commands work, and its plan has the flaw that the page tells."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.pages import ROOT, commands

from hetwin_core.ensemble.scenario.schema import ScenarioFile
from hetwin_core.ensemble.scenario.strict_yaml import load
from hetwin_core.ensemble.scenario.uncertainty import Uncertain
from hetwin_core.ensemble.validation import check

PAGE = ROOT / "docs" / "projecting.md"
SCENARIO = re.compile(r"^```yaml\n(scenario:.*?)^```$", re.MULTILINE | re.DOTALL)
UNCERTAIN = re.compile(r"^```yaml\n(uncertainty:.*?)^```$", re.MULTILINE | re.DOTALL)
PLAN = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OWN = re.compile(r"^```sh\n(hetwin predict fetch.*?)^```$", re.MULTILINE | re.DOTALL)
ASSUMES, LOOKS = 'robot.believe_at("box", (0.45, 0.2, 0.8))', 'robot.look("box")'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the page's scenario and plan."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text("utf-8")
    (scenario,), (plan,) = SCENARIO.findall(text), PLAN.findall(text)
    (tmp_path / "fetch.yaml").write_text(scenario)
    (tmp_path / "fetch.py").write_text(plan)
    return tmp_path


@pytest.mark.long
@pytest.mark.slow
def test_the_plan_of_the_page_has_the_flaws_that_it_tells(folder: Path) -> None:
    blind, flaws = (
        shlex.split(line)[1:] for line in OWN.findall(PAGE.read_text("utf-8"))[0].splitlines()
    )
    assert hetwin(*blind, "--no-page").code == 0
    told = json.loads(hetwin(*flaws, "--json").out)["flaws"]
    kinds = {flaw["kind"] for flaw in told}
    assert {"incorrect_belief", "unachieved"} <= kinds
    plan = (folder / "fetch.py").read_text()
    assert ASSUMES in plan
    (folder / "fetch.py").write_text(plan.replace(ASSUMES, LOOKS))
    seen = hetwin("predict", "fetch.yaml", "-n", "4", "--no-page", "--json")
    assert json.loads(seen.out)["outcomes"]["delivered"]["yes"] == 4


@pytest.mark.long
def test_the_first_commands_of_the_page(folder: Path) -> None:
    project, until = (shlex.split(line)[1:] for line in commands(PAGE))
    said = hetwin(*project)
    assert said.code == 0, said.err
    assert "delivered" in said.out
    assert Path("batches/boxes/project.html").exists()
    ended = json.loads(hetwin(*until).out)
    assert ended["stopped"]


def test_what_the_page_says_is_uncertain_can_be_read(tmp_path: Path) -> None:
    for number, text in enumerate(UNCERTAIN.findall(PAGE.read_text("utf-8"))):
        file = tmp_path / f"{number}.yaml"
        file.write_text(text)
        check(dict[str, Uncertain], load(file).data["uncertainty"])  # type: ignore[call-overload,index]


def test_the_plan_is_as_short_as_the_page_says() -> None:
    (plan,) = PLAN.findall(PAGE.read_text("utf-8"))
    assert sum(bool(line.strip()) for line in plan.splitlines()) <= 35
    assert "uncertainty" in ScenarioFile.model_fields
