"""The page about predictions: its options are those of the command, its commands work, its example has its flaws."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.pages import ROOT, commands
from support.plugins import needs

from hetwin_core.ensemble.scenario.strict_yaml import load
from hetwin_core.ensemble.scenario.uncertainty import Uncertain
from hetwin_core.ensemble.validation import check

pytestmark = needs("hetwin_futures")
PAGE = ROOT / "docs" / "prediction.md"
REFERENCE = ROOT / "docs" / "reference" / "predictions.md"
FETCH = ROOT / "examples" / "plans"
UNCERTAIN = re.compile(r"^```yaml\n(uncertainty:.*?)^```$", re.MULTILINE | re.DOTALL)
ASSUMES, LOOKS = 'robot.believe_at("box", (0.45, 0.2, 0.8))', 'robot.look("box")'


def test_the_options_of_the_page_are_those_of_the_command() -> None:
    from support.hetwin_command import all_commands

    command = all_commands()["predict"]
    known = {option for parameter in command.params for option in parameter.opts}
    text = REFERENCE.read_text("utf-8").partition("## Options\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`--.*?) \|", text, re.MULTILINE)
    said = {option for row in rows for option in re.findall(r"`(--[a-z-]+)", row)}
    assert len(said) >= 8
    assert said <= known, said - known


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the example that the page names."""
    if not FETCH.is_dir():
        pytest.skip("examples/plans is not here")
    shutil.copytree(FETCH, tmp_path / "examples" / "plans")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "examples" / "plans"


@pytest.mark.long
@pytest.mark.slow
def test_the_plan_of_the_page_has_the_flaws_that_it_names(folder: Path) -> None:
    text = PAGE.read_text("utf-8")
    blind, flaws = (
        shlex.split(line)[1:]
        for line in re.findall(r"`(hetwin (?:predict examples|ask batches).*?)`", text)
    )
    assert hetwin(*blind, "--no-page").code == 0
    told = json.loads(hetwin(*flaws, "--json").out)["flaws"]
    kinds = {flaw["kind"] for flaw in told}
    assert {"incorrect_belief", "unachieved"} <= kinds
    plan = (folder / "fetch.py").read_text()
    assert ASSUMES in plan
    (folder / "fetch.py").write_text(plan.replace(ASSUMES, LOOKS))
    seen = hetwin("predict", "examples/plans/fetch.yaml", "-n", "4", "--no-page", "--json")
    assert json.loads(seen.out)["outcomes"]["delivered"]["yes"] == 4


@pytest.mark.long
def test_the_first_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    project, until, *_ = (shlex.split(line)[1:] for line in commands(PAGE))
    said = hetwin(*project)
    assert said.code == 0, said.err
    assert "delivered" in said.out
    assert Path("batches/boxes/project.html").exists()
    ended = json.loads(hetwin(*until).out)
    assert ended["stopped"]


def test_what_the_page_calls_uncertain_can_be_read(tmp_path: Path) -> None:
    (text,) = UNCERTAIN.findall(PAGE.read_text("utf-8"))
    file = tmp_path / "uncertain.yaml"
    file.write_text(text)
    check(dict[str, Uncertain], load(file).data["uncertainty"])  # type: ignore[call-overload,index]
