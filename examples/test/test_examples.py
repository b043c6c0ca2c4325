"""Each example is a package that hetwin finds, with a README and scenarios that name its extra where it is missing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hetwin_core.ensemble import resources
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.installed import COMMANDS, MODELS, SCENARIOS, install_command
from hetwin_core.ensemble.scenario.scenario import find_scenario
from model_nodes.main_physics.sources.factory import open_source

HERE = Path(__file__).resolve().parent.parent
MANIFEST = tomllib.loads((HERE / "pyproject.toml").read_text())
PACKAGES = {file.parent.name for file in HERE.glob("*/__init__.py")}
NAMES = {file.stem: file for file in HERE.glob("*/scenarios/*.yaml") if file.parts[-3] in PACKAGES}
"""Scenario -> its file."""
RECORDINGS = [
    file.parent for file in sorted(HERE.glob("hetwin_*/scenarios/episodes/**/metadata.yaml"))
]


def test_the_distribution_lists_every_package() -> None:
    assert {*MANIFEST["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]} == PACKAGES
    with_files = {file.parent.parent.name for file in HERE.glob("*/scenarios/*.yaml")} & PACKAGES
    named = {*MANIFEST["project"]["entry-points"]["hetwin.resources"].values()}
    assert with_files <= named <= PACKAGES


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_it_has_a_readme_that_names_its_scenarios(package: str) -> None:
    text = (HERE / package / "README.md").read_text("utf-8")
    assert text.startswith(f"# {package}\n")
    assert f"[{package}]({package}/README.md)" in (HERE / "README.md").read_text("utf-8")
    for name in (name for name, file in NAMES.items() if file.parts[-3] == package):
        assert f"`{name}`" in text, name


def test_the_suite_knows_what_brings_each_scenario() -> None:
    assert {name for name, extra in SCENARIOS.items() if extra == "examples"} == {*NAMES}
    for name, file in NAMES.items():
        assert find_scenario(name).parts[-3:] == file.parts[-3:]


def test_the_suite_knows_what_brings_each_command_and_model() -> None:
    points = MANIFEST["project"]["entry-points"]
    groups = ("hetwin.commands", "hetwin.episode_kinds")
    named = {name.replace(".", " ") for group in groups for name in points.get(group, {})}
    assert {name for name, extra in COMMANDS.items() if extra == "examples"} == named
    models = {name for name, extra in MODELS.items() if extra == "examples"}
    assert models == {*points.get("hetwin.models", {})}


def test_where_the_package_is_missing_a_scenario_names_what_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(resources, "_package_folders", lambda _: ())
    for name in NAMES:
        with pytest.raises(BadInput, match="there is no such scenario") as error:
            find_scenario(name)
        assert error.value.expected == install_command("examples")


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda folder: folder.name)
def test_nothing_is_wrong_with_the_recordings(recording: Path) -> None:
    assert open_source(recording).findings == ()
