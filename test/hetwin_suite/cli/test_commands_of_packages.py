"""Packages add commands and files; what cannot be imported is named, and breaks nothing else."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from support.plugins import needs
from typer.testing import CliRunner

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import COMMANDS
from hetwin_core.ensemble.resources import Kind, find_known, known_files, names_of
from hetwin_core.ensemble.scenario.scenario import find_scenario
from hetwin_suite.cli import commands
from hetwin_suite.cli.commands import BUILT_IN
from hetwin_suite.cli.main import app

MODULE = """
from hetwin_suite.command import Result, Seed
import typer

def picnic(seed: Seed = 0) -> Result:
    return Result({"seed": seed}, [f"a picnic by {seed}"], code=seed)

def brew(cups: int = 1) -> None:
    print(f"{cups} brewed")

bar = typer.Typer()

@bar.command()
def open() -> None:
    print("it is open")

@bar.command()
def close() -> None:
    print("it is closed")

nothing = 3
"""
WAITER = '<robot name="waiter"><joint name="arm" type="revolute"/></robot>'
POINTS = """
[hetwin.commands]
brew = commands_of_a_cafe:brew
bar = commands_of_a_cafe:bar
run = commands_of_a_cafe:brew
nothing = commands_of_a_cafe:nothing
gone = commands_of_nobody:brew
list.cups = commands_of_a_cafe:picnic

[hetwin.episode_kinds]
record.picnic = commands_of_a_cafe:picnic
evaluate.hail = commands_of_nobody:hail

[hetwin.resources]
cafe = commands_of_a_cafe
gone = commands_of_nobody
"""


@pytest.fixture(autouse=True)
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package with commands, as pip would."""
    (tmp_path / "commands_of_a_cafe.py").write_text(MODULE)
    info = tmp_path / "cafe-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: cafe\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "commands_of_a_cafe", raising=False)
    known_files.cache_clear()
    yield
    known_files.cache_clear()


def said(*words: str) -> str:
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_help_lists_them_under_their_package_and_imports_none() -> None:
    text = said("--help")
    own, *sections = text.split("Commands of ")
    listed = {
        package: re.findall(r"^  (\w+) +see hetwin", rows, re.MULTILINE)
        for package, _, rows in (section.partition(":\n") for section in sections)
    }
    assert "hetwin-suite" not in listed
    assert listed["cafe"] == ["bar", "brew", "gone", "nothing"]
    assert listed.get("hetwin-examples") in (["truck"], None)
    assert listed.get("hetwin-machines") in (["machines"], None)
    assert "run a scenario and report what happened" in own
    assert "commands_of_a_cafe" not in sys.modules


def test_a_function_and_a_group() -> None:
    assert said("brew", "--cups", "2") == "2 brewed\n"
    assert said("bar", "open") == "it is open\n"
    assert "--cups" in said("brew", "-h")


def test_kinds_of_episodes_of_a_package_are_listed_and_what_they_return_is_presented() -> None:
    text = said("record", "--help")
    assert "picnic  see hetwin record picnic --help" in text
    assert "hail" not in text
    assert "hail" in said("evaluate", "--help")
    assert "commands_of_a_cafe" not in sys.modules
    assert said("record", "picnic") == "a picnic by 0\n"
    assert json.loads(said("record", "picnic", "--json")) == {"seed": 0}
    assert CliRunner().invoke(app, ["record", "picnic", "--seed", "3"]).exit_code == 3


@needs("hetwin_bauer2022")
def test_a_kind_of_episodes_that_cannot_be_imported_is_named_and_breaks_nothing() -> None:
    with pytest.raises(BadInput, match="hail of the package cafe cannot be used: ModuleN") as error:
        said("evaluate", "hail")
    assert error.value.where == "hetwin.episode_kinds.evaluate.hail"
    assert "hail" in said("evaluate", "--help")
    assert "Usage: " in said("evaluate", "table2", "--help")
    assert said("record", "picnic") == "a picnic by 0\n"


def test_a_command_below_a_noun_of_hetwins_own() -> None:
    assert "cups  see hetwin list cups --help" in said("list", "--help")
    assert "cups" not in said("--help")
    assert said("list", "cups") == "a picnic by 0\n"
    with pytest.raises(SystemExit):
        app(["list.cups"])


def test_a_command_of_hetwins_own_stays() -> None:
    assert "Run a scenario and report what happened." in said("run", "--help")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gone", "of the package cafe cannot be used: ModuleNotFoundError"),
        ("nothing", "neither a function nor a typer"),
    ],
)
def test_one_that_is_none(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as error:
        said(name)
    assert error.value.where == f"hetwin.commands.{name}"


@pytest.mark.filterwarnings("ignore:hetwin.resources")
def test_files_of_a_package_have_names(tmp_path: Path) -> None:
    for file in ("scenarios/brunch.yaml", "urdf/waiter.urdf"):
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text(WAITER)
    assert find_scenario("brunch") == (tmp_path / "scenarios/brunch.yaml").resolve()
    assert {"brunch", "pick_and_place"} <= {*names_of("scenarios", ".yaml")}
    assert find_known("waiter", Kind.ROBOT, where="--robot").reference == "urdf/waiter.urdf"


def test_a_package_whose_folder_is_not_there_is_named() -> None:
    with pytest.warns(
        UserWarning,
        match="gone of the package cafe cannot be used: there is no module",
    ):
        names_of("scenarios", ".yaml")


@pytest.mark.parametrize(("words", "extra"), COMMANDS.items())
def test_a_command_of_a_package_that_is_not_installed_names_its_extra(
    words: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "installed", lambda group: ())
    with pytest.raises(BadInput, match=f"hetwin {words} is in a package of its own") as error:
        said(*words.split(), "--out", "nowhere")
    assert error.value.expected == f'pip install "hetwin-suite[{extra}]"'


@pytest.mark.parametrize("name", BUILT_IN)
def test_all_of_hetwins_own_can_be_imported(name: str) -> None:
    assert "Usage: " in said(name, "--help")


def test_a_built_in_command_does_not_look_for_those_of_packages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def search(group: str) -> NoReturn:
        raise AssertionError(f"the packages were searched for {group}")

    monkeypatch.setattr(commands, "installed", search)
    done = CliRunner().invoke(app, ["run", "--help"])
    assert done.exit_code == 0, done.output
    assert "Run a scenario and report what happened" in done.output
